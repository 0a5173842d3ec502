import { ManualClock } from '@mcp-toolkits/core/testing'
import { runs } from '@mcp-toolkits/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { workspace, type Workspace } from './workspace.ts'
import { firstComment } from './writing-calls.ts'

const roomy = { emulated: { limits: { requests: 1e6, points: 1e9 } }, toolsets: ['all'] }

/** Every tool that writes Markdown text, with the text's parameter and the other arguments. */
const writers: Readonly<Record<string, (server: Workspace) => readonly [parameter: string, target: Args]>> = {
  CreateIssue: () => ['description', { team: 'ENG', title: 'Mentions' }],
  UpdateIssue: () => ['description', { issue_id: 'ENG-9' }],
  AddComment: () => ['body', { issue: 'ENG-9' }],
  UpdateComment: (server) => ['body', { comment_id: firstComment(server).own }],
  ReplyToComment: (server) => ['body', { issue: firstComment(server).issue, parent_comment_id: firstComment(server).id }],
  CreateProject: () => ['description', { name: 'Mentions', team: 'ENG' }],
  UpdateProject: (server) => ['description', { project_id: projectNamed(server, 'Apollo')['id'] }],
  CreateProjectUpdate: (server) => ['body', { project_id: projectNamed(server, 'Apollo')['id'], health: 'onTrack' }],
  CreateInitiative: () => ['description', { name: 'Mentions' }],
  UpdateInitiative: (server) => ['description', { initiative_id: initiativeNamed(server, 'Reliability')['id'] }],
  AddProjectComment: () => ['body', { project: 'Apollo' }],
  CreateDocument: () => ['content', { title: 'Mentions', project: 'Apollo' }],
  UpsertMilestone: () => ['description', { project: 'Apollo', name: 'Mentions' }],
}

const textsIn = ({ emulator: { store } }: Workspace) =>
  [
    ...store.issues(),
    ...store.comments(),
    ...store.projects(),
    ...store.projectUpdates(),
    ...store.initiatives(),
    ...store.documents(),
    ...store.milestones(),
  ]
    .flatMap((row) => [row['content'], row['body'], row['description']])
    .filter((text) => typeof text === 'string')

test.for(Object.keys(writers))('%s mentions the people whose full names follow an "@"', async (tool) => {
  await using server = await workspace(roomy)
  const [parameter, target] = writers[tool]?.(server) ?? ['', {}]
  const { notices } = await server.call(`IssueTracker.${tool}`, {
    ...target,
    [parameter]: 'Ask @Ada Okafor, @priya.nair and @grace. See ENG-3, and `@ada.okonkwo`.',
  })
  expect(notices).toEqual(
    expect.arrayContaining([
      'The text mentions @ada.okafor (Ada Okafor) and @priya.nair (Priya Nair).',
      textWith('"@grace" is plain text: it notifies no one. A mention is "@" and the whole display name'),
    ]),
  )
  // The emulator shows a mention by its display name, and changes only the text that Linear reads as a mention.
  expect(textsIn(server)).toContainEqual(
    textWith('Ask @ada.okafor, @priya.nair and @grace. See [ENG-3](https://linear.app/lodestar/issue/ENG-3/'),
  )
  expect(textsIn(server)).toContainEqual(textWith('), and `@ada.okonkwo`.'))
})

const zoes = Array.from({ length: 60 }, (_, index) => `Zoe Name${index}`)
const comment = (server: Workspace, body: string) => server.call('IssueTracker.AddComment', { issue: 'ENG-3', body })

test.for(Object.keys(writers))('%s links issues in a text without names', async (tool) => {
  await using server = await workspace(roomy)
  const [parameter, target] = writers[tool]?.(server) ?? ['', {}]
  const result = await server.call(`IssueTracker.${tool}`, {
    ...target,
    [parameter]: 'As ENG-3 and `ENG-4`, on linear.app/lodestar/issue/ENG-9.',
  })
  expect(JSON.stringify(result['notices'] ?? [])).not.toMatch(/mention|take effect|stored only/)
  const url = 'https://linear.app/lodestar/issue/ENG-'
  expect(textsIn(server)).toContainEqual(textWith(`As [ENG-3](${url}3/`))
  expect(textsIn(server)).toContainEqual(textWith(`and \`ENG-4\`, on [ENG-9](${url}9)`))
})

test('a text without names and identifiers costs no request, and one with several costs one', async () => {
  const clock = new ManualClock()
  await using server = await workspace({ ...roomy, clock })
  for (const [body, requests] of [
    ['Write to ops@acme.example about @types/node.', 1],
    ['`@ada.okafor` and https://a.example/@ada.okafor', 1],
    ['`ENG-9`, [ENG-3](https://a.example) and https://a.example/ENG-3', 1],
    ['On linear.app/lodestar/issue/ENG-9', 1],
    ['@ada.okafor, @nobody, @Grace Kim and ENG-9', 2],
    ['ENG-9, OPS-1, ENG-99999 and UTF-8', 2],
    // No team has these keys.
    ['UTF-8 and UTF-16', 1],
    ['COVID-19 and ENG-9', 2],
    ['COVID-19', 1],
  ] as const) {
    const before = server.requests()
    await comment(server, body)
    expect(server.requests() - before, body).toBe(requests)
  }
  await clock.advance(3_600_001)
  const before = server.requests()
  await comment(server, 'UTF-8')
  expect(server.requests() - before).toBe(2)
})

test('the identifiers in a batch of texts cost one request', async () => {
  await using server = await workspace(roomy)
  const rows = Array.from({ length: 50 }, (_, row) => `See ENG-${row + 1}, OPS-${row + 1}, DES-${row + 1} and DATA-${row + 1}.`)
  await server.call('IssueTracker.BatchCreateIssues', { issues: rows.map((description) => ({ team: 'ENG', title: 'Many', description })) })
  expect(server.requests()).toBe(3)
  expect(textsIn(server)).toContainEqual(expect.stringMatching(/^See \[ENG-1\]\(https.+ and DATA-1\.$/))
})

test('everybody mentioned is notified, and nobody else', async () => {
  await using server = await workspace(roomy)
  const before = server.emulator.store.notifications().length
  await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body: '@Ada Okafor and @priya.nair, not @Mikael or @leo.brandt' })
  const told = server.emulator.store.notifications().slice(before)
  expect(told).toHaveLength(2)
  expect(told.map(({ type }) => type)).toEqual(['issueCommentMention', 'issueCommentMention'])
})

test.for([
  ['@Ada', '@ada.okafor (Ada Okafor) or @ada.okonkwo (Ada Okonkwo)'],
  ['@leo.brandt', 'of an active person'],
  ["@ada.okafor's idea", 'set off by spaces'],
  ['"@ada.okafor"', 'set off by spaces'],
  ['@a @b @c @d @e @f @a', '"@a", "@b", "@c", "@d", "@e" and 1 more are plain text'],
] as const)('%j mentions no one, and the result says why', async ([body, notice]) => {
  await using server = await workspace(roomy)
  const { notices } = await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body })
  expect(notices).toEqual([textWith(notice)])
  expect(textsIn(server)).toContainEqual(body)
})

test.for(['_@ada.okafor_', '__@ada.okafor__', '**@Ada Okafor**', '~~@ada.okafor~~'])('%j mentions a person', async (body) => {
  await using server = await workspace(roomy)
  const { notices } = await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body })
  expect(notices).toEqual(['The text mentions @ada.okafor (Ada Okafor).'])
})

test('a first name mentions nobody if the next word makes it the name of someone else', async () => {
  await using server = await workspace(roomy)
  for (const name of ['Leo', 'Zoe', ...zoes]) server.emulator.addUser({ name })
  for (const [body, notice] of [
    ['@Leo Brandt please look', textWith('"@Leo" is plain text')],
    ['@Leo please look', 'The text mentions @leo (Leo).'],
    ['@Leo, please look', 'The text mentions @leo (Leo).'],
    ['@Zoe Name59 please look', 'The text mentions @zoe.name59 (Zoe Name59).'],
    ['@Zoe please look', 'The text mentions @zoe (Zoe).'],
    ['@Zoe, @zoe and @Zoe Name7', 'The text mentions @zoe (Zoe) and @zoe.name7 (Zoe Name7).'],
  ] as const)
    expect((await comment(server, body))['notices'], body).toEqual([notice])
})

test('if too many names begin alike to look them all up, a comma ends a name', async () => {
  await using server = await workspace(roomy)
  for (const name of ['Zoe', ...zoes]) server.emulator.addUser({ name })
  const plain = [textWith('"@Zoe" is plain text'), textWith('Put a comma after the name: "@Zoe, …".')]
  expect((await comment(server, '@Zoe Name please look'))['notices']).toEqual(plain)
  expect((await comment(server, '@Zoe, Name please look'))['notices']).toEqual(['The text mentions @zoe (Zoe).'])
})

test('an app that is mentioned acts as a delegate', async () => {
  await using server = await workspace(roomy)
  const { notices } = await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body: '@beacon please triage' })
  expect(notices).toEqual([
    'The text mentions @beacon (Beacon).',
    'Mentioning an app ("Beacon") asks it to act as a delegate; only people can be assigned work.',
  ])
})

const untouched = fc.constantFrom(
  '`@ada.okafor`',
  '``a ` @ada.okafor ENG-3``',
  '\n```\n@ada.okafor ENG-3\n```\n',
  '\n~~~ts\n@ada.okafor\n~~~\n',
  '\n\n    @ada.okafor ENG-3\n\n',
  '[@ada.okafor](https://a.example)',
  '![ENG-3](https://a.example/(x).png)',
  '[ENG-3][1]',
  '\n\n[1]: https://a.example/ENG-3\n\n',
  'https://a.example/@ada.okafor/ENG-3',
  'mailto:ada.okafor@acme.example',
  'ada.okafor@acme.example',
  '<a title="@ada.okafor">',
  '\\@ada.okafor',
  '@types/node',
  'UTF-8',
  'ENG-99999',
  'eng-3',
  'XENG-3x',
)
const text = fc.array(
  fc.oneof(
    untouched,
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('\n', '\n\n', '- ', '> ', '@', '`', '[', '](', '*', ' ENG-3'),
  ),
  {
    maxLength: 12,
  },
)

test('text that is not a reference stays unchanged next to one', { timeout: 120_000 }, async () => {
  await using server = await workspace(roomy)
  await fc.assert(
    fc.asyncProperty(fc.array(untouched, { minLength: 1, maxLength: 6 }), async (parts) => {
      const body = ['@priya.nair', ...parts].join(' and ')
      await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body })
      expect(textsIn(server)).toContainEqual(body)
    }),
    { numRuns: runs(40) },
  )
})

test('a text with a full name is confirmed when it is written again', async () => {
  await using server = await workspace(roomy)
  const body = 'Ask @Ada Okafor, or @priya.nair.'
  const { comment } = await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body })
  const { id } = Object.assign({ id: '' }, comment)
  expect(await server.call('IssueTracker.UpdateComment', { comment_id: id, body })).toMatchObject({
    notices: ['The text mentions @ada.okafor (Ada Okafor) and @priya.nair (Priya Nair).'],
  })
})

test('a text that is read and written back stays the same', { timeout: 120_000 }, async () => {
  await using server = await workspace(roomy)
  const { comment } = await server.call('IssueTracker.AddComment', { issue: 'ENG-3', body: 'First' })
  const { id } = Object.assign({ id: '' }, comment)
  const stored = () => String(server.emulator.store.comments().find((each) => each['id'] === id)?.['body'])
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const body = `${parts.join(' ')} @Ada Okafor, ENG-3`
      await server.call('IssueTracker.UpdateComment', { comment_id: id, body: `Other ${body}` })
      const before = stored()
      await server.call('IssueTracker.UpdateComment', { comment_id: id, body: before })
      expect(stored()).toBe(before)
    }),
    { numRuns: runs(40) },
  )
})
