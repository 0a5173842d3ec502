import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { someText, textWith } from '../matching.ts'
import { workspace, type Workspace } from '../workspace.ts'

const [list, get] = ['IssueTracker.ListDocuments', 'IssueTracker.GetDocument']
const [create, update] = ['IssueTracker.CreateDocument', 'IssueTracker.UpdateDocument']
const planning = { toolsets: ['planning'], emulated: { seed: 'company' } } as const

const stored = ({ emulator }: Workspace, title: string) => emulator.store.documents().filter((each) => each['title'] === title)

test('lists documents by title, project, issue and team, in one request each', async () => {
  await using server = await workspace(planning)
  const found = async (args: Args) => (await server.call(list, args))['documents']
  expect(await found({})).toMatchObject([
    { title: 'Launch day checklist', slug_id: '3b0b051746b6', project: 'Trails launch', creator: 'Noah Weiss' },
    { title: 'On-call handbook', team: 'OPS' },
  ])
  expect(await found({ keywords: 'day launch' })).toHaveLength(1)
  expect(await found({ project: 'trails launch' })).toHaveLength(1)
  expect(await found({ team: 'OPS' })).toMatchObject([{ title: 'On-call handbook' }])
  expect(await server.call(list, { issue: 'ENG-12' })).toMatchObject({ documents: [], notices: [textWith('No document matches')] })
  const first = await server.call(list, { limit: 1 })
  expect(await found({ limit: 1, end_cursor: member(first['pagination'], 'end_cursor') })).toMatchObject([{ team: 'OPS' }])
  expect(server.requests()).toBe(7)
  expect(await server.fails(list, { project: 'Trail lunch' })).toMatchObject({ code: 'not_found' })
})

test('reads a document by title, slug, URL and id, in parts', async () => {
  await using server = await workspace(planning)
  const read = await server.call(get, { document: 'launch DAY checklist', limit: 20 })
  expect(read).toMatchObject({ document: { title: 'Launch day checklist' }, text: '# Launch day checkli', next_offset: 20 })
  const [document] = stored(server, 'Launch day checklist')
  const forms = ['3b0b051746b6', 'https://linear.app/lodestar/document/launch-day-checklist-3b0b051746b6', String(document?.['id'])]
  for (const form of forms) expect(await server.call(get, { document: form, offset: 20 })).toMatchObject({ next_offset: null })
  expect(server.requests()).toBe(4)
  expect(await server.fails(get, { document: 'On call hand book' })).toMatchObject({
    code: 'not_found',
    message: textWith('On-call handbook'),
  })
  expect(await server.call(get, { document: 'On-call handbok', auto_accept_matches: true })).toMatchObject({
    document: { title: 'On-call handbook' },
    notices: [textWith('was taken to mean')],
  })
})

test.for([
  [{ project: 'Trails launch' }, { project: 'Trails launch' }],
  [{ initiative: 'launch trails' }, { initiative: 'Launch Trails' }],
  [{ issue: 'eng-12' }, { issue: 'ENG-12' }],
  [{ team: 'Operations' }, { team: 'OPS' }],
] as const)('creates a document of %j in two requests', async ([owner, shown]) => {
  await using server = await workspace(planning)
  const result = await server.call(create, { title: 'Notes', content: '# One\\n\\nTwo.', ...owner })
  expect(result).toMatchObject({ document: { title: 'Notes', slug_id: someText, ...shown } })
  expect(server.requests()).toBe(2)
  expect(stored(server, 'Notes')).toMatchObject([{ content: '# One\n\nTwo.' }])
})

test('creates no document that belongs to nothing, to two things or to something unknown', async () => {
  await using server = await workspace(planning)
  expect(await server.fails(create, { title: 'Notes' })).toMatchObject({ code: 'invalid_input', message: textWith('Pass one of project') })
  expect(await server.fails(create, { title: 'Notes', team: 'OPS', issue: 'ENG-1' })).toMatchObject({
    message: textWith('only one of issue and team'),
  })
  expect(await server.fails(create, { title: 'Notes', project: 'Trail lunch' })).toMatchObject({ code: 'not_found' })
  expect(await server.fails(create, { title: 'Notes', issue: 'ENG-999' })).toMatchObject({ code: 'not_found' })
  expect(server.emulator.store.mutations()).toEqual([])
})

test('changes the title and the text of a document in two requests, and loses no text by mistake', async () => {
  await using server = await workspace(planning)
  const document = 'On-call handbook'
  expect(await server.call(update, { document, title: 'Handbook' })).toMatchObject({ document: { title: 'Handbook', team: 'OPS' } })
  expect(server.requests()).toBe(2)
  const cut = { document: 'Handbook', content: '# On-call handbook\n\nWhoever is on call answers' }
  expect(await server.fails(update, cut)).toMatchObject({
    code: 'invalid_input',
    message: textWith('only the beginning of the current text'),
  })
  expect(await server.call(update, { document: 'Handbook', content: 'Ask Tomás.' })).toMatchObject({
    notices: ['The content had 144 characters and now has 10.'],
  })
  expect(stored(server, 'Handbook')).toMatchObject([{ content: 'Ask Tomás.' }])
  expect(await server.fails(update, { document: 'Handbook' })).toMatchObject({ message: textWith('Nothing to change') })
})
