import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { textWith } from '../matching.ts'
import { stormClock } from '../storm.ts'
import { workspace, type Workspace } from '../workspace.ts'

const edit = 'IssueTracker.EditDescription'
const planning = { toolsets: ['planning'], emulated: { seed: 'company' } } as const

const rowOf = (rows: readonly object[], name: string) =>
  rows.find((each) => [member(each, 'identifier'), member(each, 'name'), member(each, 'title')].includes(name))
const textOf = ({ emulator: { store } }: Workspace, name: string) => {
  const row = rowOf([...store.issues(), ...store.projects(), ...store.initiatives(), ...store.documents()], name)
  return String(member(row, 'content') ?? member(row, 'description'))
}
const updatedAt = ({ emulator: { store } }: Workspace, name: string) =>
  String(member(rowOf([...store.issues(), ...store.projects(), ...store.initiatives(), ...store.documents()], name), 'updatedAt'))

test.for([
  ['issue', 'OPS-1', 'ops-1'],
  ['project', 'Trails launch', 'https://linear.app/lodestar/project/trails-launch-676674191280'],
  ['initiative', 'Launch Trails', 'launch trails'],
  ['document', 'On-call handbook', 'on-call handbook'],
] as const)('adds to the text of the %s and changes a passage in it, in two requests each', async ([kind, name, reference]) => {
  await using server = await workspace(planning)
  const before = textOf(server, name)
  const appended = {
    [kind]: kind === 'project' ? name : reference,
    action: 'append',
    text: 'One more thing.',
    expected_version: updatedAt(server, name),
  }
  const first = await server.call(edit, appended)
  expect(first).toMatchObject({ edited: { kind, name }, changed: true })
  expect(server.requests()).toBe(2)
  expect(textOf(server, name)).toBe(`${before.trimEnd()}\n\nOne more thing.`)
  const changed = { [kind]: name, action: 'replace', passage: 'One more', text: 'Another', expected_version: first['version'] }
  const second = await server.call(edit, changed)
  expect(textOf(server, name)).toBe(`${before.trimEnd()}\n\nAnother thing.`)
  expect(server.requests()).toBe(4)
  const removed = { [kind]: name, action: 'replace', passage: '\n\nAnother thing.', text: '', expected_version: second['version'] }
  expect(await server.call(edit, removed)).toMatchObject({ total_characters: Array.from(before.trimEnd()).length })
})

test('keeps the short description of a project when its long text is edited', async () => {
  await using server = await workspace(planning)
  const short = member(rowOf(server.emulator.store.projects(), 'Trails launch'), 'description')
  await server.call(edit, {
    project: 'Trails launch',
    action: 'append',
    text: 'More.',
    expected_version: updatedAt(server, 'Trails launch'),
  })
  expect(member(rowOf(server.emulator.store.projects(), 'Trails launch'), 'description')).toBe(short)
})

test('refuses an edit if the text has changed since, and says how to continue', async () => {
  await using server = await workspace(planning)
  const document = 'On-call handbook'
  const args = { document, action: 'append', text: 'Mine.', expected_version: updatedAt(server, document) }
  await server.mutate('mutation($id: String!, $input: DocumentUpdateInput!) { documentUpdate(id: $id, input: $input) { success } }', {
    id: member(rowOf(server.emulator.store.documents(), document), 'id'),
    input: { content: 'Theirs.' },
  })
  const error = await server.fails(edit, args)
  expect(error).toMatchObject({
    code: 'conflict',
    message: textWith('was changed after version'),
    next: { tool: 'IssueTracker_GetDocument' },
  })
  expect(textOf(server, document)).toBe('Theirs.')
  const again = { ...args, expected_version: updatedAt(server, document).replace(/\.\d+Z$/, 'Z') }
  expect(await server.call(edit, again)).toMatchObject({ changed: true })
  expect(textOf(server, document)).toBe('Theirs.\n\nMine.')
  expect(await server.fails(edit, args)).toMatchObject({ code: 'conflict' })
})

test('refuses a passage that occurs twice or not at all, and a call that is not exactly one edit', async () => {
  await using server = await workspace(planning)
  const document = 'On-call handbook'
  const args = { document, action: 'replace', expected_version: updatedAt(server, document) }
  const refused = async (more: Args) => (await server.fails(edit, { ...args, ...more })).message
  expect(await refused({ passage: 'on', text: 'x' })).toMatch(/occurs \d times\. Pass a longer one/)
  expect(await refused({ passage: 'handbook Whoever', text: 'x' })).toContain('different line breaks or spaces')
  expect(await refused({ passage: 'Nobody answers', text: 'x' })).toContain('does not occur')
  expect(await refused({ text: 'x' })).toContain('Pass "passage"')
  expect(await refused({ action: 'append', text: ' ' })).toContain('is empty')
  expect(await refused({ passage: 'hour', text: 'x', issue: 'ENG-1' })).toContain('exactly one of')
  expect(server.emulator.store.mutations()).toEqual([])
  expect(await server.call(edit, { ...args, passage: 'half an hour', text: 'half an hour' })).toMatchObject({ changed: false })
})

test('refuses a passage whose occurrences overlap', async () => {
  await using server = await workspace(planning)
  const document = 'On-call handbook'
  const change = (more: Args) => ({ document, expected_version: updatedAt(server, document), ...more })
  await server.call(edit, change({ action: 'append', text: '|---|---|---|' }))
  const error = await server.fails(edit, change({ action: 'replace', passage: '|---|---|', text: 'x' }))
  expect(error.message).toContain('occurs 2 times')
})

const handbook = 'On-call handbook'

test.for([
  ['append', 'Once.', 'Once.'],
  ['append', 'Ask @Ada Okafor, or @priya.nair: see OPS-1,\n\n - linear.app/lodestar/issue/OPS-2 and UTF-8.', 'Ask @ada.okafor, or'],
  ['replace', '@Robin Vance (as in OPS-1)', '@robin.vance (as in [OPS-1](https'],
] as const)('retrying an edit whose response was lost makes it only once: %s %j', async ([action, text, stored]) => {
  let isLost = true
  await using server = await workspace({
    ...planning,
    clock: stormClock,
    async vendor(input, init) {
      const request = new Request(input, init)
      const isWrite = (await request.clone().text()).includes('"mutation ')
      const response = await server.emulator.fetch(request)
      if (isWrite && isLost) throw new TypeError('fetch failed')
      return response
    },
  })
  const passage = action === 'replace' ? { passage: 'half an hour' } : {}
  const args = { document: handbook, action, ...passage, text, expected_version: updatedAt(server, handbook) }
  expect(await server.fails(edit, args)).toMatchObject({ code: 'unavailable' })
  isLost = false
  const written = textOf(server, handbook)
  expect(written).toContain(stored)
  expect(await server.call(edit, args)).toMatchObject({ changed: true, notices: [textWith('already made this edit')] })
  expect(textOf(server, handbook)).toBe(written)
})

test('finds a passage with a literal backslash and an n, or else one with a line break', async () => {
  await using server = await workspace(planning)
  const content = 'It prints "one\\ntwo words".\nThe end\nof it.'
  await server.call('IssueTracker.CreateDocument', { title: 'Literal', content, project: 'Trails launch' })
  for (const [passage, text] of [
    ['one\\ntwo words', 'one'],
    ['The end\\nof it', 'Over'],
  ])
    await server.call(edit, { document: 'Literal', action: 'replace', passage, text, expected_version: updatedAt(server, 'Literal') })
  expect(textOf(server, 'Literal')).toBe('It prints "one".\nOver.')
})
