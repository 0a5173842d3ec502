// linear-mcp, from which mcp-server-linear is derived: most tasks use the same tools.
import { member } from '../../../packages/core/src/base/json.ts'
import { all, assignee, label, mcpServerLinear, stateOf, team } from './mcp-server-linear.ts'
import { idOf, type PeerCall, type PeerSolutions } from './peer.ts'

const update = (call: PeerCall, issueId: unknown, change: object) =>
  call('linear_bulk_update_issues', { issueIds: [issueId], update: change })
const stateIn = async (call: PeerCall, key: string, name: string) => idOf(member(team(await call('linear_get_teams'), key), 'states'), name)

export const linearMcp: PeerSolutions = {
  ...mcpServerLinear,
  async 'linear-give'(call) {
    const issues = await all(call)
    await update(call, idOf(issues, 'ENG-34'), { assigneeId: assignee(issues, 'Yara Costa') })
    return 'Done.'
  },
  async 'linear-finish'(call) {
    await update(call, idOf(await all(call), 'ENG-18'), { stateId: await stateIn(call, 'ENG', 'Done') })
    return 'Done.'
  },
  async 'linear-file-bug'(call) {
    const teamId = String(team(await call('linear_get_teams'), 'ENG')?.['id'])
    const title = 'The compass turns after a call'
    // The tool for one issue takes no labels.
    await call('linear_create_issues', { issues: [{ teamId, title, description: title, labelIds: [label(await all(call), 'Bug')] }] })
    await update(call, idOf(await all(call), title), { priority: 2 })
    return 'Done.'
  },
  'linear-decision': 'no tool that reads comments',
  async 'linear-triage'(call) {
    const issues = await all(call)
    const stateId = await stateIn(call, 'OPS', 'Todo')
    for (const issue of issues.filter((each) => stateOf(each, 'name') === 'Triage')) {
      const isBackup = String(issue['title']).includes('backup')
      const change = isBackup ? { assigneeId: assignee(issues, 'Tomás'), priority: 1 } : { assigneeId: assignee(issues, 'Ada Okonkwo') }
      await update(call, issue['id'], { stateId, ...change })
    }
    return 'Done.'
  },
}
