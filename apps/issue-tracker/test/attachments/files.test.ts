import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { openContentSource } from '../../../../packages/testing/src/processes/content-source.ts'
import { textWith } from '../matching.ts'
import { workspace } from '../workspace.ts'

const attach = 'IssueTracker.AttachFile'
const list = 'IssueTracker.ListAttachments'
const attachments = { toolsets: ['attachments'], emulated: { seed: 'company' } } as const

/** The bytes at a URL, as a member of the workspace reads them. */
async function stored(server: Awaited<ReturnType<typeof workspace>>, url: unknown): Promise<string> {
  const response = await server.emulator.fetch(String(url), { headers: { authorization: 'lin_api_test' } })
  expect(response.status).toBe(200)
  return response.text()
}

test('attaches text as a file in four requests, and lists it', async () => {
  await using server = await workspace(attachments)
  const result = await server.call(attach, {
    issue: 'ENG-21',
    content: 'zoom,tiles\n12,40\n',
    file_name: 'tiles.csv',
    title: 'Tile counts',
  })
  expect(server.requests()).toBe(4)
  expect(result).toMatchObject({ issue: { identifier: 'ENG-21' }, file: { title: 'Tile counts', bytes: 17 } })
  const url = member(result['file'], 'url')
  expect(await stored(server, url)).toBe('zoom,tiles\n12,40\n')
  const before = server.requests()
  const { attachments: listed } = await server.call(list, { issue: 'ENG-21' })
  expect(listed).toEqual(
    expect.arrayContaining([expect.objectContaining({ title: 'Tile counts', url, kind: 'file', found_in: 'attachments' })]),
  )
  expect(server.requests() - before).toBe(1)
})

test('puts a file from a URL into a comment, as a picture if it is one', async () => {
  await using source = await openContentSource()
  await using server = await workspace({
    ...attachments,
    environment: { ISSUE_TRACKER_API_KEY: 'lin_api_test', ISSUE_TRACKER_ALLOW_PRIVATE_URLS: source.host },
  })
  const result = await server.call(attach, { issue: 'ENG-21', source_url: source.small, comment: 'Seen today:' })
  const id = member(result['file'], 'comment_id')
  const picture = await server.call(attach, { issue: 'ENG-21', content: '<svg/>', file_name: 'a [1].svg', comment: 'A map.' })
  const { attachments: files } = await server.call(list, { issue: 'ENG-21' })
  expect(files).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ title: 'small.txt', found_in: 'comment', comment_id: id, url: member(result['file'], 'url') }),
      expect.objectContaining({ title: 'a [1].svg', found_in: 'comment', comment_id: member(picture['file'], 'comment_id') }),
    ]),
  )
  const { comments } = await server.call('IssueTracker.ListComments', { issue: 'ENG-21' })
  const url = String(member(result['file'], 'url'))
  expect(comments).toEqual(expect.arrayContaining([expect.objectContaining({ id, body: `Seen today:\n\n[small.txt](${url})` })]))
})

test.for(['a (1.log', 'a 1).log', 'a (1).log', 'a ) [(.log'])('the link in a comment leads to the file %j', async (name) => {
  await using server = await workspace(attachments)
  const { file } = await server.call(attach, { issue: 'ENG-21', content: 'log', file_name: name, comment: 'Seen:' })
  const { attachments: files } = await server.call(list, { issue: 'ENG-21' })
  expect(files).toContainEqual(expect.objectContaining({ title: name, url: member(file, 'url'), found_in: 'comment' }))
  expect(member(file, 'url')).not.toMatch(/[()]/)
  expect(await stored(server, member(file, 'url'))).toBe('log')
})

test.for([
  [{ issue: 'ENG-21' }, 'invalid_input', 'Pass either source_url'],
  [{ issue: 'ENG-21', content: 'a', source_url: 'https://example.com/a' }, 'invalid_input', 'Pass either source_url'],
  [{ issue: 'ENG-21', content: 'a' }, 'invalid_input', 'Pass file_name'],
  [{ issue: 'ENG-21', content: 'a', file_name: '../a.txt' }, 'invalid_input', 'must be a name alone'],
  [{ issue: 'ENG-9999', content: 'a', file_name: 'a.txt' }, 'not_found', 'ENG-9999'],
  [{ issue: 'ENG-21', source_url: 'http://127.0.0.1:9/a.txt' }, 'invalid_input', 'allow a host with ISSUE_TRACKER_ALLOW_PRIVATE_URLS.'],
  [{ issue: 'ENG-21', source_url: 'file:///etc/passwd' }, 'invalid_input', ''],
] as const)('refuses %j, and stores nothing', async ([args, code, message]) => {
  await using server = await workspace(attachments)
  expect(await server.fails(attach, args)).toMatchObject({ code, message: textWith(message) })
  expect(server.emulator.store.mutations()).toEqual([])
})

test.for([0, 1, 2, 3])('attaches a file once if the response to request %i is lost', async (before) => {
  await using server = await workspace(attachments)
  for (let index = 0; index < before; index += 1) server.emulator.faults.add({ action: { kind: 'slow', milliseconds: 0 } })
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  const { file } = await server.call(attach, { issue: 'ENG-21', content: 'log', file_name: 'a.log' })
  expect(server.emulator.faults.pending()).toEqual([])
  expect(await stored(server, member(file, 'url'))).toBe('log')
  const { attachments: files } = await server.call(list, { issue: 'ENG-21' })
  expect(Array.isArray(files) && files.filter((each) => member(each, 'title') === 'a.log')).toHaveLength(1)
})

const read = 'IssueTracker.ReadAttachment'

test('reads the text of a file in parts that end at a line break, in two requests each', async () => {
  await using server = await workspace(attachments)
  const part = async (offset: number) => {
    const before = server.requests()
    const result = await server.call(read, { issue: 'ENG-21', attachment: 'privacy answers.csv', offset, limit: 120 })
    expect(server.requests() - before).toBe(2)
    return result
  }
  const first = await part(0)
  expect(first).toMatchObject({ attachment: { title: 'Privacy answers.csv', by: 'Robin Vance' }, media_type: 'text/csv', offset: 0 })
  expect(first['text']).toMatch(/^question,store,answer\n.*\n$/)
  const texts = [String(first['text'])]
  for (let next = first['next_offset']; typeof next === 'number';) {
    const { text, next_offset: following } = await part(next)
    texts.push(String(text))
    next = following
  }
  expect(texts.join('')).toContain('How long is it stored?,both,30 days\n')
  expect(texts.join('')).toHaveLength(Number(first['total_characters']))
})

test('shows a picture to the model', async () => {
  await using server = await workspace(attachments)
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await attachBytes(server, { name: 'pixel.png', type: 'image/png', bytes: Buffer.from(pixel, 'base64') })
  const { content, structuredContent } = await server.result(read, { issue: 'ENG-21', attachment: 'pixel.png' })
  expect(structuredContent).toMatchObject({ attachment: { title: 'pixel.png' }, media_type: 'image/png' })
  expect(content[1]).toEqual({ type: 'image', data: pixel, mimeType: 'image/png' })
})

test.for([
  ['a link', 'ENG-19', 'link to a different service'],
  ['a film', 'film.mp4', 'has no text. A person can open it in Linear.'],
  ['a picture that is too large', 'large.png', 'too large to show'],
  ['another name', 'Privacy answer.csv', 'and "Privacy answers.csv"'],
] as const)('says what %s is', async ([, attachment, message]) => {
  await using server = await workspace(attachments)
  await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-21', attachment_url: 'https://a.example/x', attachment_title: 'ENG-19' })
  await attachBytes(server, { name: 'film.mp4', type: 'video/mp4', bytes: Buffer.alloc(1_000) })
  await attachBytes(server, { name: 'large.png', type: 'image/png', bytes: Buffer.alloc(4_000_000, Buffer.from('iVBORw0KGgo=', 'base64')) })
  expect(await server.fails(read, { issue: 'ENG-21', attachment })).toMatchObject({ message: textWith(message) })
})

/** Attaches a file as another client of the workspace would. */
async function attachBytes(
  { emulator }: Awaited<ReturnType<typeof workspace>>,
  { name, type, bytes }: { readonly name: string; readonly type: string; readonly bytes: Buffer },
): Promise<void> {
  const ask = async (query: string, variables: object): Promise<unknown> => {
    const headers = { authorization: 'lin_api_test', 'content-type': 'application/json' }
    const response = await emulator.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    })
    return response.json()
  }
  const place = await ask(
    'mutation ($name: String!, $type: String!, $size: Int!) { fileUpload(filename: $name, contentType: $type, size: $size) { uploadFile { uploadUrl assetUrl } } }',
    { name, type, size: bytes.byteLength },
  )
  const file = member(member(member(place, 'data'), 'fileUpload'), 'uploadFile')
  await emulator.fetch(String(member(file, 'uploadUrl')), { method: 'PUT', headers: { 'content-type': type }, body: bytes })
  const attached = await ask('mutation ($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }', {
    input: { issueId: 'ENG-21', url: member(file, 'assetUrl'), title: name },
  })
  expect(attached).not.toHaveProperty('errors')
}

test('does not read punctuation after a URL in a comment as part of it', async () => {
  await using server = await workspace(attachments)
  const { file } = await server.call(attach, { issue: 'ENG-21', content: 'x', file_name: 'a.txt' })
  const url = String(member(file, 'url'))
  await server.call('IssueTracker.AddComment', { issue: 'ENG-21', body: `It is [${url}](${url}), or **${url}**.` })
  const { attachments: listed } = await server.call(list, { issue: 'ENG-21' })
  const inComments = Object.assign<Record<string, unknown>[], unknown>([], listed).filter((each) => each['found_in'] === 'comment')
  expect([...new Set(inComments.map((each) => each['url']))].filter((each) => String(each).startsWith(url))).toEqual([url])
})

test.for([undefined, 'See:'])(
  'reads a file with brackets in its name by the URL that AttachFile returned, with the comment %j',
  async (comment) => {
    await using server = await workspace(attachments)
    const { file } = await server.call(attach, { issue: 'ENG-21', content: 'x', file_name: 'log (1).txt', ...(comment && { comment }) })
    const attachment = member(file, 'url')
    expect(await server.call(read, { issue: 'ENG-21', attachment })).toMatchObject({ text: 'x', attachment: { url: attachment } })
  },
)

test.for([
  ['image/png', 'iVBORw0KGgo='],
  ['image/jpeg', '/9j/4AAQSkY='],
  ['image/gif', 'R0lGODlhAQABAA=='],
  ['image/webp', 'UklGRgAAAABXRUJQVlA4'],
] as const)('shows a picture of the type %s whatever type Linear reports', async ([mimeType, data]) => {
  await using server = await workspace(attachments)
  for (const type of ['application/octet-stream', 'image/jpg', 'text/plain']) {
    const name = `picture of ${type.replace('/', ' ')}`
    await attachBytes(server, { name, type, bytes: Buffer.from(data, 'base64') })
    const { content } = await server.result(read, { issue: 'ENG-21', attachment: name })
    expect(content[1]).toEqual({ type: 'image', data, mimeType })
  }
})

test('says that older comments were not searched', async () => {
  await using server = await workspace({ ...attachments, emulated: { ...attachments.emulated, limits: { requests: 1e6, points: 1e9 } } })
  await server.call(attach, { issue: 'ENG-21', content: 'x', file_name: 'old.txt', comment: 'First' })
  for (let index = 0; index < 101; index += 1) await server.call('IssueTracker.AddComment', { issue: 'ENG-21', body: `Later ${index}` })
  expect(await server.fails(read, { issue: 'ENG-21', attachment: 'old.txt' })).toMatchObject({
    code: 'not_found',
    message: textWith('Only the newest 100 attachments and comments were searched.'),
  })
})
