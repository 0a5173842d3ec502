import { expect, it } from 'vitest'
import { listing } from './listing.ts'
import { listedTool } from './test/listed-tool.ts'
import { explainUnknownTool } from './unknown-tool.ts'
import { connectClient, routes } from './elicitation/test/client.ts'

it.each([
  ['a slip of the pen', {}, 'Post_SendLeter', 'Closest: Post_SendLetter.'],
  ['the name without its prefix', {}, 'SendLetter', 'Closest: Post_SendLetter.'],
  ['a tool that --read-only leaves out', { readOnly: true }, 'Post_SendLetter', 'It writes, and this server was started with --read-only.'],
  [
    'a tool that --tools leaves out',
    { tools: ['Hesitate'] },
    'Post.SendLetter',
    'This server was started with --tools, which leaves it out.',
  ],
] as const)('explains %s', async (...[, settings, name, told]) => {
  await using at = await connectClient(routes.modernStdio, { settings })
  await expect(at.client.callTool({ name, arguments: {} })).rejects.toThrow(`Unknown tool: ${name}. ${told}`)
})

it('suggests nothing for a name unlike any other', async () => {
  await using at = await connectClient(routes.modernStdio)
  await expect(at.client.callTool({ name: 'Post_Nope', arguments: {} })).rejects.toThrow(/Unknown tool: Post_Nope$/)
})

const listed = (...names: string[]) =>
  listing({ prefix: 'IssueTracker', listedTools: names.map((name) => listedTool(name)) }, { readOnly: false, toolNames: 'safe' })
const tracker = listed(
  ...[
    'WhoAmI',
    'GetIssue',
    'ListIssues',
    'GetTeam',
    'ListTeams',
    'CreateIssue',
    'UpdateIssue',
    'ArchiveIssue',
    'AddComment',
    'UpdateComment',
  ],
  ...['ListComments', 'TrackUserEvent', 'SendPageViewEvent', 'AddToGroup'],
)
const meaning = (name: string) => explainUnknownTool(name, 'IssueTracker', tracker)

it.each([
  ['CreateComment', 'AddComment'],
  ['issue_tracker_get_issue', 'GetIssue'],
  ['IssueTracker.FetchIssue', 'GetIssue'],
  ['search_issues', 'ListIssues'],
  ['GetTeams', 'ListTeams'],
  ['edit-issue', 'UpdateIssue'],
  ['NewIssue', 'CreateIssue'],
  ['issue_search', 'ListIssues'],
  ['whoami', 'WhoAmI'],
  ['ListIsues', 'ListIssues'],
  ['track', 'TrackUserEvent'],
  ['page', 'SendPageViewEvent'],
])('%s clearly means %s', (name, tool) => {
  const { next, suggestions } = meaning(name)
  expect([next?.tool, suggestions[0]?.value]).toEqual([`IssueTracker_${tool}`, `IssueTracker_${tool}`])
})

it.each([
  ['delete_issue', ['ArchiveIssue']],
  ['CommentOnIssue', ['AddComment']],
  ['comment', ['AddComment', 'UpdateComment']],
])('%s is answered with suggestions only', (name, tools) => {
  const { suggestions, next } = meaning(name)
  expect(next).toBeUndefined()
  expect(suggestions.map(({ value }) => value)).toEqual(expect.arrayContaining(tools.map((tool) => `IssueTracker_${tool}`)))
})

it.each(['RemoveFromGroup', 'UntrackUserEvent', 'UnarchiveIssue', 'Xyzzy', 'ListTags'])('%s leads to no other tool', (name) => {
  expect(meaning(name).next).toBeUndefined()
})

it.each(['RemoveFromGroup', 'UntrackUserEvent'])('the opposite of %s is not even suggested', (name) => {
  expect(meaning(name).suggestions.map(({ value }) => value)).not.toContain(
    `IssueTracker_${name === 'RemoveFromGroup' ? 'AddToGroup' : 'TrackUserEvent'}`,
  )
})

it('a word that says nothing leads to no tool', () => {
  expect(meaning('toString').suggestions).toEqual([])
})

it('answers over the protocol with the suggestions as data', async () => {
  await using at = await connectClient(routes.modernStdio)
  const error: unknown = await at.client.callTool({ name: 'Post_SendLeter', arguments: {} }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: -32602,
    data: { suggestions: [{ value: 'Post_SendLetter', confidence: 0.9 }], next: { tool: 'Post_SendLetter' } },
  })
})
