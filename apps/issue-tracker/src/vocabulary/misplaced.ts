import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { words } from '@mcp-toolkits/core/tool'

const parents = words('parent_comment_id parent_comment parent_id reply_to in_reply_to')
/** Issue fields that the triage toolset changes, with callers' words for each. */
const others = {
  parent_issue: { names: words('parent_issue parent_issue_id parent_id parent'), tool: 'SetParentIssue', noun: 'parent' },
  team: { names: words('team team_id team_key new_team target_team'), tool: 'MoveIssueToTeam', noun: 'team' },
  milestone: {
    names: words('milestone milestone_id project_milestone project_milestone_id'),
    tool: 'SetIssueMilestone',
    noun: 'milestone',
  },
} as const

/** Throws `InvalidInput` for arguments that request something only a different tool does, or no tool. */
export function refuseMisplaced(name: string, args: unknown): void {
  if (!isObject(args)) return
  const parent = nameIn(args, parents)
  const parent_comment_id = parent && stringMember(args, parent)
  if (name === 'AddComment' && parent !== undefined && parent_comment_id !== undefined) {
    const others = Object.entries(args).filter(([each]) => each !== parent)
    refuse('A new comment does not reply to another.', 'To reply to one', 'ReplyToComment', {
      ...Object.fromEntries(others),
      parent_comment_id,
    })
  }
  if (name !== 'UpdateIssue') return
  const issue = stringMember(args, 'issue_id')
  // Proposing only this change would lose any others.
  const isAlone = issue !== undefined && Object.keys(args).length === 2
  for (const [parameter, { names, tool, noun }] of Object.entries(others)) {
    const given = nameIn(args, names)
    if (given === undefined) continue
    const fault = `Unknown argument "${given}": an update keeps the ${noun} of an issue; the triage toolset has a tool that changes it.`
    refuse(fault, `To change the ${noun}`, tool, isAlone ? { issue, [parameter]: args[given] ?? 'none' } : undefined)
  }
  const { archived } = args
  if (archived !== true && archived !== 'true') return
  refuse('An update does not archive anything.', 'To archive the issue', 'ArchiveIssue', isAlone ? { issue } : undefined)
}

/** The argument with one of the names, including `parentId` style. */
function nameIn(args: JsonObject, names: readonly string[]): string | undefined {
  return Object.keys(args).find((each) => names.includes(each.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()))
}

function refuse(fault: string, purpose: string, name: string, args?: JsonObject): never {
  const tool = `IssueTracker.${name}`
  throw new InvalidInput(Message.of(fault, sentence`${purpose}, use ${{ tool }}.`), { ...(args && { next: { tool, arguments: args } }) })
}
