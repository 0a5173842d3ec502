import { expect, it } from 'vitest'
import { listing } from './listing.ts'
import { listedTool } from '../../../test/listed-tool.ts'
import type { ToolVocabulary } from '../definition.ts'
import { whyUnknown } from './unknown-tool.ts'
import { connectClient, routes } from '../../../test/elicitation/client.ts'

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
const explain = async (
  call: { readonly name: string; readonly args?: unknown },
  words: ToolVocabulary = {},
  shown = tracker,
  prefix = 'IssueTracker',
) =>
  whyUnknown(
    call,
    { prefix, vendor: 'Linear', listedTools: [], load: { vocabulary: () => Promise.resolve(words), tools: () => Promise.resolve([]) } },
    shown,
  )
const meaning = async (name: string) => explain({ name })

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
])('%s clearly means %s', async (name, tool) => {
  const { next, suggestions } = await meaning(name)
  expect([next?.tool, suggestions[0]?.value]).toEqual([`IssueTracker_${tool}`, `IssueTracker_${tool}`])
})

it.each([
  ['delete_issue', ['ArchiveIssue']],
  ['CommentOnIssue', ['AddComment']],
  ['comment', ['AddComment', 'UpdateComment']],
])('%s is answered with suggestions only', async (name, tools) => {
  const { suggestions, next } = await meaning(name)
  expect(next).toBeUndefined()
  expect(suggestions.map(({ value }) => value)).toEqual(expect.arrayContaining(tools.map((tool) => `IssueTracker_${tool}`)))
})

it.each(['RemoveFromGroup', 'UntrackUserEvent', 'UnarchiveIssue', 'Xyzzy', 'ListTags', 'set_team', 'archive_all_issues', 'track_user_in'])(
  '%s leads to no other tool',
  async (name) => {
    expect((await meaning(name)).next).toBeUndefined()
  },
)

it.each(['RemoveFromGroup', 'UntrackUserEvent'])('the opposite of %s is not even suggested', async (name) => {
  expect((await meaning(name)).suggestions.map(({ value }) => value)).not.toContain(
    `IssueTracker_${name === 'RemoveFromGroup' ? 'AddToGroup' : 'TrackUserEvent'}`,
  )
})

const vocabulary = {
  fillers: ['drive'],
  words: { issue: ['ticket', 'story', 'task'], create: ['file'] },
  names: {
    ListIssues: { 'list my issues': { assignee: '@me' }, search: {} },
    UpdateIssue: ['assign issue', 'add label to issue'],
    WhoAmI: ['get me'],
    ArchiveIssue: ['hide', 'hide issue'],
  },
}
const inWords = async (name: string, args: unknown = {}) => explain({ name, args }, vocabulary)

it.each([
  ['FileTicket', 'CreateIssue'],
  ['search_tickets', 'ListIssues'],
  ['linear_get_ticket', 'GetIssue'],
  ['asana_create_task_v2', 'CreateIssue'],
  ['notion-update-issue', 'UpdateIssue'],
  ['issues_create_comment', 'AddComment'],
  ['ticketsearch', 'ListIssues'],
  ['GetIssueByIdentifier', 'GetIssue'],
  ['assign_ticket', 'UpdateIssue'],
  ['AddLabelToIssue', 'UpdateIssue'],
  ['getMe', 'WhoAmI'],
])('%s means %s in the words of callers', async (name, tool) => {
  expect((await inWords(name)).next).toEqual({ tool: `IssueTracker_${tool}` })
})

it.each(['hide_drive', 'hide_issue_info', 'hide_to_drive', 'hide_all_issues', 'list_issue_with'])(
  'what %s says besides the name of a tool is not dropped',
  async (name) => {
    expect((await inWords(name)).next).toBeUndefined()
  },
)

it('the product in front of a name is dropped', async () => {
  expect((await inWords('drive_hide_issue')).next?.tool).toBe('IssueTracker_ArchiveIssue')
})

it('a name of several tools is answered with all of them, and none is proposed', async () => {
  const shared = { names: { GetIssue: ['status'], ListIssues: ['status'] } }
  const { next, suggestions } = await explain({ name: 'get_status' }, { names: {} })
  expect(next).toBeUndefined()
  expect(suggestions.map(({ value }) => value)).not.toContain('IssueTracker_UpdateIssue')
  expect(await explain({ name: 'status' }, shared)).toMatchObject({
    suggestions: [{ value: 'IssueTracker_GetIssue' }, { value: 'IssueTracker_ListIssues' }],
  })
})

it('a name that implies an argument adds it, and never replaces another', async () => {
  const tool = 'IssueTracker_ListIssues'
  expect((await inWords('GetMyTickets')).next).toEqual({ tool, change: { assignee: '@me' } })
  expect((await inWords('GetMyTickets', { assignee: '@me' })).next).toEqual({ tool })
  expect((await inWords('GetMyTickets', { assignee: 'Ada' })).next).toBeUndefined()
})

it.each(['UnassignIssue', 'unassign_ticket', 'DeassignIssue', 'RemoveLabelFromIssue', 'CreateLabel', 'UnfileTicket', 'DeleteTicket'])(
  '%s leads to no other tool in the words of callers',
  async (name) => {
    expect((await inWords(name)).next).toBeUndefined()
  },
)

it('a word that says nothing leads to no tool', async () => {
  expect((await meaning('toString')).suggestions).toEqual([])
})

it('answers over the protocol with the suggestions as data', async () => {
  await using at = await connectClient(routes.modernStdio)
  const error: unknown = await at.client.callTool({ name: 'Post_SendLeter', arguments: {} }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: -32602,
    data: { suggestions: [{ value: 'Post_SendLetter', confidence: 0.9 }], next: { tool: 'Post_SendLetter' } },
  })
})

it('finds a tool behind a prefix without its "api"', async () => {
  const offered = listing({ prefix: 'PostApi', listedTools: [listedTool('SendLetter')] }, { readOnly: false, toolNames: 'safe' })
  const { next } = await explain({ name: 'post_send_letter' }, {}, offered, 'PostApi')
  expect(next).toEqual({ tool: 'PostApi_SendLetter' })
})
