import { runs } from '@mcp-toolkits/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { projectNamed } from './project-calls.ts'
import { textTools as tools } from './text-tools.ts'
import { firstComment } from './writing-calls.ts'
import { workspace } from './workspace.ts'

const sentences = Array.from({ length: 400 }, (_, index) => `Sentence ${index} says something else.`)
const present = sentences.join('\n\n')

const shows = ['', ' ', '\n\n', '\\n', '\u200b', '&nbsp;', null]
const length = present.length
const cut = fc.integer({ min: 1, max: length - 2 })
const [first = '', second = ''] = sentences
const markers = [
  '…',
  '\n\n...',
  '\n\n... (rest unchanged)',
  '\n\n[rest of the description unchanged]',
  '\n\n<!-- rest of description -->',
  ' (remaining text omitted for brevity)',
  '\n\nThe rest of the description stays as it was.',
  `\n\n...\n\n${sentences.at(-1)}`,
]
const phrases = [
  '(same as before)',
  'The rest of the description stays as it was.',
  '[unchanged]',
  '...',
  '[existing description]\n\nMore.',
]
/** Each lacks more than the last sentence, because one of the markers ends with that sentence. */
const heads = cut.filter((at) => at > 25 && at < length - 80).map((at) => present.slice(0, at))
const parts = fc.oneof(
  cut.map((at) => present.slice(0, at)),
  cut.map((at) => present.slice(at)),
  fc.tuple(cut, fc.integer({ min: 30, max: 200 })).map(([at, size]) => present.slice(at, at + size)),
  fc.tuple(fc.constantFrom('', 'A new line.\n\n'), heads, fc.constantFrom(...markers)).map((texts) => texts.join('')),
  fc.constantFrom(present.slice(0, 5_000), present.slice(5_000, 10_000), present.slice(10_000), ...phrases),
)
/** Texts that leave nothing out, each of which replaces the one before. */
const whole = [
  'Waiting for the server… then it stops. (The rest is the same on Android.)',
  'Waiting for the server... then it starts. (The rest is the same on Android.)',
  'Hm… Waiting for the server... then it starts. (The rest is the same on Android.)',
  'Hm… Waiting for the server (same on iOS)... then it starts, and the map opens. (The rest is the same on Android.)',
  'Call f(...args) with the same words as before.',
  'Call f(...args) with the same words as before...',
  'Another text, and the rest is history.',
]

test.for(Object.entries(tools))(
  '%s: neither blank text nor part of the current text replaces it; any other text does, with a notice of both lengths',
  async ([tool, callOf]) => {
    await using server = await workspace({ emulated: { limits: { requests: 1e6, points: 1e9 } } })
    const [parameter, target] = callOf(server)
    const write = async (text: string | null) => server.result(`IssueTracker.${tool}`, { ...target, [parameter]: text })
    expect((await write(present)).isError).toBeUndefined()
    const changes = server.emulator.store.mutations().length
    for (const blank of shows) await write(blank)
    await fc.assert(
      fc.asyncProperty(parts, async (part) => {
        fc.pre(/[\p{L}\p{N}]/u.test(part) && /[\p{L}\p{N}]/u.test(present.replace(part, '')))
        expect(await server.fails(`IssueTracker.${tool}`, { ...target, [parameter]: part })).toMatchObject({ code: 'invalid_input' })
      }),
      { numRuns: runs(20) },
    )
    expect(server.emulator.store.mutations().length).toBe(changes)
    for (const middle of [`${first.slice(3)}\n\n${second.slice(0, 9)}`, `…${second}`, ...markers.map((marker) => `${first}${marker}`)])
      expect(await server.fails(`IssueTracker.${tool}`, { ...target, [parameter]: middle })).toMatchObject({ code: 'invalid_input' })
    const other = `${present} More.`
    const { notices } = await server.call(`IssueTracker.${tool}`, { ...target, [parameter]: other })
    const [had, has] = [length, other.length].map((each) => each.toLocaleString('en'))
    expect(notices).toContain(`The ${parameter} had ${had} characters and now has ${has}.`)
    for (const text of whole) expect(await write(text), text).not.toHaveProperty('isError')
  },
)

test.for(Object.entries(tools))('%s: following the advice in a refusal writes exactly that part', async ([tool, callOf]) => {
  await using server = await workspace()
  const [parameter, target] = callOf(server)
  const write = async (text: string, more: Args = {}) => server.call(`IssueTracker.${tool}`, { ...target, [parameter]: text, ...more })
  await write(present)
  const { message } = await server.fails(`IssueTracker.${tool}`, { ...target, [parameter]: first })
  const way = tool === 'UpdateIssue' ? 'name "description" in fields_to_clear too' : 'write another text first, then this one'
  expect(message).toContain(`To keep only this text on purpose, ${way}.`)
  if (tool === 'UpdateIssue') {
    const { notices } = await write(first, { fields_to_clear: ['description'] })
    expect(notices).toContain(`The description had ${length.toLocaleString('en')} characters and now has ${first.length}.`)
    await write(present)
  }
  await write('Another text.')
  const { notices } = await write(first)
  expect(notices).toContain(`The ${parameter} had 13 characters and now has ${first.length}.`)
})

test.for(Object.entries(tools))('%s: refuses a part as it was shown, and a word for a missing value', async ([tool, callOf]) => {
  await using server = await workspace()
  const [parameter, target] = callOf(server)
  const write = async (text: string) => server.result(`IssueTracker.${tool}`, { ...target, [parameter]: text })
  expect((await write(`Read\u200bme \u00adfirst. ${present}`)).isError).toBeUndefined()
  const changes = server.emulator.store.mutations().length
  for (const text of [`Read\\u{200B}me \\u{AD}first. ${first}`, 'undefined', 'null', 'None', '[object Object]', '<p></p>'.repeat(150)])
    expect(await write(text), text).toMatchObject({ isError: true })
  expect(server.emulator.store.mutations().length).toBe(changes)
})

test('the refusal of a part says where to continue reading', async () => {
  await using server = await workspace()
  const project = projectNamed(server, 'Apollo')
  const { text } = await server.call('IssueTracker.GetProjectDescription', { project_id: 'Apollo' })
  const error = await server.fails('IssueTracker.UpdateProject', { project_id: 'Apollo', description: text })
  expect(error.next).toMatchObject({
    tool: 'IssueTracker_GetProjectDescription',
    arguments: { project_id: project['slugId'], offset: 5_000 },
  })
})

test('arguments for another tool lead to it', async () => {
  await using server = await workspace()
  await using triage = await workspace({ toolsets: ['triage'] })
  const { id, issue } = firstComment(server)
  const reply = await server.fails('IssueTracker.AddComment', { issue, parent_comment_id: id, body: 'Yes.' })
  expect(reply.next).toEqual({ tool: 'IssueTracker_ReplyToComment', arguments: { issue, parent_comment_id: id, body: 'Yes.' } })
  const archive = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', archived: true })
  expect(archive.next).toEqual({ tool: 'IssueTracker_ArchiveIssue', arguments: { issue: 'ENG-1' } })
  const more = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', archived: true, title: 'x' })
  expect(more.next).toBeUndefined()
  for (const [parameter, value, tool, more] of [
    ['parent_issue', null, 'SetParentIssue', { parent_issue: 'none' }],
    ['team', 'DES', 'MoveIssueToTeam', { team: 'DES' }],
    ['milestone', 'Beta', 'SetIssueMilestone', { milestone: 'Beta' }],
  ] as const) {
    const args = { issue_id: 'ENG-1', [parameter]: value }
    const hidden = await server.fails('IssueTracker.UpdateIssue', args)
    expect(hidden.message).toMatch(new RegExp(`Unknown argument "${parameter}": .*the triage toolset has a tool that changes it.$`))
    expect(hidden).not.toHaveProperty('next')
    const { message, next } = await triage.fails('IssueTracker.UpdateIssue', args)
    expect(message).toContain(`use IssueTracker_${tool}.`)
    expect(next).toEqual({ tool: `IssueTracker_${tool}`, arguments: { issue: 'ENG-1', ...more } })
  }
})

test.for(Object.entries(tools))('%s: a page that was read and edited does not replace the whole text', async ([tool, callOf]) => {
  await using server = await workspace({ emulated: { limits: { requests: 1e6, points: 1e9 } } })
  const [parameter, target] = callOf(server)
  const write = async (text: string) => server.result(`IssueTracker.${tool}`, { ...target, [parameter]: text })
  expect((await write(present)).isError).toBeUndefined()
  const changed = (page: string) => page.replaceAll('something', 'nothing').replace('nothing', 'something')
  const last = sentences.at(-1) ?? ''
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 3, max: 20 }), async (from, size) => {
      const page = present.slice(500 * from, 500 * (from + size))
      fc.pre(page.length < 0.85 * length)
      const edited = `${page.slice(0, 60)}${changed(page.slice(60, -60))}${page.slice(-60)}`
      const { message } = await server.fails(`IssueTracker.${tool}`, { ...target, [parameter]: edited })
      expect(message).toMatch(/(?:ends|begins) where a page of the current text (?:ends|begins) \([\d,]+ of [\d,]+ characters\)/)
    }),
    { numRuns: runs(20) },
  )
  // Text that was shortened on purpose ends at the end of a sentence.
  expect(await write(`A summary.\n\n${changed(sentences.slice(3, 90).join('\n\n'))}\n\n${last}`)).not.toHaveProperty('isError')
})

test.for([
  ['UpdateIssue', { issue_id: 'ENG-9', title: 'New' }, 'fields_to_clear'],
  ['UpdateProject', { project_id: 'Apollo', target_date: '2030-01-01' }, ''],
  ['UpdateInitiative', { initiative_id: 'Reliability', target_date: '2030-01-01' }, ''],
  ['BatchUpdateIssues', { issue_id: 'ENG-9', title: 'New' }, 'fields_to_clear'],
] as const)('%s: refuses blank text along with other fields, and says how to continue', async ([tool, target, way]) => {
  await using server = await workspace({ toolsets: ['all'] })
  const { store } = server.emulator
  const texts = () => [...store.issues(), ...store.projects(), ...store.initiatives()].map((row) => [row['content'], row['description']])
  const before = texts()
  for (const description of ['', ' \n', '&nbsp;', '\u200b']) {
    const args = { ...target, description }
    const error = await server.fails(`IssueTracker.${tool}`, tool === 'BatchUpdateIssues' ? { issues: [args] } : args)
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.message).toContain('Leave it out to keep the current text')
    expect(error.message).toContain(way)
    if (tool !== 'BatchUpdateIssues') expect(error.next?.change).toEqual({ description: null })
  }
  expect(server.emulator.store.mutations()).toEqual([])
  expect(texts()).toEqual(before)
})
