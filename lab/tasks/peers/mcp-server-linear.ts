import { member } from '../../../packages/core/src/base/json.ts'
import { idOf, objectsIn, type PeerCall, type PeerSolutions } from './peer.ts'

const issuesIn = (value: unknown) => objectsIn(value).filter((row) => typeof row['identifier'] === 'string')
/** All issues, page by page, because a search for words fails. */
export async function all(call: PeerCall, after?: string): Promise<ReturnType<typeof issuesIn>> {
  const page = await call('linear_search_issues', { first: 100, ...(after !== undefined && { after }) })
  const { hasNextPage: hasNext, endCursor: next } = objectsIn(page).find((row) => 'endCursor' in row) ?? {}
  return [...issuesIn(page), ...(hasNext === true ? await all(call, String(next)) : [])]
}
/** The id of a label, which can only be found on an issue. */
export const label = (issues: unknown, name: string) => objectsIn(issues).find((row) => row['name'] === name)?.['id']
export const stateOf = (issue: object, name: string) => String(member(member(issue, 'state'), name))
export const team = (value: unknown, key: string) => objectsIn(value).find((row) => row['key'] === key)
/** The id of a person, who can only be found as an issue's assignee. */
export const assignee = (issues: unknown, name: string) => idOf(issues, name)
const noPeople = 'no tool that lists people'

export const mcpServerLinear: PeerSolutions = {
  async 'linear-give'(call) {
    const issues = await all(call)
    await call('linear_edit_issue', { issueId: idOf(issues, 'ENG-34'), assigneeId: assignee(issues, 'Yara Costa') })
    return 'Done.'
  },
  async 'linear-finish'(call) {
    const done = idOf(member(team(await call('linear_get_teams'), 'ENG'), 'states'), 'Done')
    await call('linear_edit_issue', { issueId: idOf(await all(call), 'ENG-18'), stateId: done })
    return 'Done.'
  },
  async 'linear-file-bug'(call) {
    const teams = await call('linear_get_teams')
    const labelIds = [label(await all(call), 'Bug')]
    const title = 'The compass turns after a call'
    await call('linear_create_issue', { teamId: String(team(teams, 'ENG')?.['id']), title, description: title, priority: 2, labelIds })
    return 'Done.'
  },
  async 'linear-decision'(call) {
    const comments = objectsIn(await call('linear_get_issue', { identifier: 'ENG-9' }))
    return String(comments.find(({ body }) => String(body).includes('Decided'))?.['body'])
  },
  'linear-follow': 'no tool that follows an issue',
  'linear-blocks': 'no tool for relations',
  'linear-move': 'no tool that changes the team',
  async 'linear-duplicate'(call) {
    const issueId = idOf(await all(call), 'Crash')
    await call('linear_create_comment', { issueId, body: 'Seen on a Pixel 6, too.' })
    return 'Done.'
  },
  'linear-reply': 'no tool that replies to a comment',
  'linear-two-adas': noPeople,
  async 'linear-lost-answer'(call) {
    const teamId = String(team(await call('linear_get_teams'), 'OPS')?.['id'])
    const title = 'The alert of the load test went to the wrong phone'
    await call('linear_create_issue', { teamId, title, description: title })
    return 'Done.'
  },
  async 'linear-triage'(call) {
    const issues = await all(call)
    const todo = idOf(member(team(await call('linear_get_teams'), 'OPS'), 'states'), 'Todo')
    for (const issue of issues.filter((each) => stateOf(each, 'name') === 'Triage')) {
      const isBackup = String(issue['title']).includes('backup')
      const change = isBackup ? { assigneeId: assignee(issues, 'Tomás'), priority: 1 } : { assigneeId: assignee(issues, 'Ada Okonkwo') }
      await call('linear_edit_issue', { issueId: issue['id'], stateId: todo, ...change })
    }
    return 'Done.'
  },
  async 'linear-hand-over'(call) {
    const issues = await all(call)
    const hers = issues.filter((issue) => member(issue['assignee'], 'name') === 'Yara Costa')
    const open = hers.filter((issue) => !/completed|canceled|duplicate/.test(stateOf(issue, 'type')))
    const update = { assigneeId: assignee(issues, 'Ada Okafor') }
    await call('linear_bulk_update_issues', { issueIds: open.map(({ id }) => id), update })
    return 'Done.'
  },
  'linear-report': 'no tool for project updates',
  async 'linear-ten-bugs'(call) {
    const teams = await call('linear_get_teams')
    const titles = ['Legend is cut off on small phones', 'Export of a track has no header', 'Sync shows the time of another zone']
    const more = ['Snow depth is shown in inches in Norway', 'A shared pin keeps its old name', 'The back button leaves the map']
    const last = ['Downloads stop when the screen locks', 'Waypoints lose their colour in print']
    const about = { teamId: String(team(teams, 'ENG')?.['id']), labelIds: [label(await all(call), 'Bug')] }
    await call('linear_create_issues', { issues: [...titles, ...more, ...last].map((title) => ({ title, description: title, ...about })) })
    return 'Done.'
  },
  'linear-milestone': 'no tool that says in which milestone an issue is',
  'linear-document': 'no tool for documents',
  async 'linear-stale'(call) {
    const canceled = idOf(member(team(await call('linear_get_teams'), 'ENG'), 'states'), 'Canceled')
    const before = new Date(Date.now() - 21 * 86_400_000).toISOString()
    const issues = (await all(call)).filter((issue) => String(issue['identifier']).startsWith('ENG') && issue['priority'] === 4)
    const lying = issues.filter((issue) => stateOf(issue, 'name') === 'Backlog' && !issue['assignee'])
    if (lying.some((issue) => !('updatedAt' in issue))) throw new Error('no tool that says when an issue was changed')
    const stale = lying.filter((issue) => String(issue['updatedAt']) < before && !JSON.stringify(issue).includes('Customer request'))
    await call('linear_bulk_update_issues', { issueIds: stale.map(({ id }) => id), update: { stateId: canceled } })
    return 'Done.'
  },
  async 'linear-hundred'(call) {
    const canceled = idOf(member(team(await call('linear_get_teams'), 'ENG'), 'states'), 'Canceled')
    const many = (await all(call)).filter(({ title }) => /^Issue \d+ of many$/.test(String(title)))
    await call('linear_bulk_update_issues', { issueIds: many.map(({ id }) => id), update: { stateId: canceled } })
    return 'Done.'
  },
}
