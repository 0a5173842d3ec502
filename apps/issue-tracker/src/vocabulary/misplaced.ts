import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { words } from '@mcp-toolkits/core/tool'

const parents = words('parent_comment_id parent_comment parent_id reply_to in_reply_to')
const parentIssues = words('parent_issue parent_issue_id parent_id parent')

/** Throws `InvalidInput` for arguments of a request that another tool serves, or none. */
export function refuseMisplaced(name: string, args: unknown): void {
  if (!isObject(args)) return
  const parent = (name === 'AddComment' ? parents : parentIssues).find((each) => Object.hasOwn(args, each))
  const parent_comment_id = parent && stringMember(args, parent)
  if (name === 'AddComment' && parent_comment_id !== undefined) {
    const { issue, body } = args
    refuse('A new comment answers no other.', 'To answer one', 'ReplyToComment', { issue, parent_comment_id, body })
  }
  if (name !== 'UpdateIssue') return
  if (parent !== undefined)
    refuse(
      `Unknown argument "${parent}": no tool changes the parent of an issue; a person can, in Linear.`,
      'To set it for a new one',
      'CreateIssue',
    )
  const { archived, ...others } = args
  if (archived !== true && archived !== 'true') return
  const issue = stringMember(others, 'issue_id')
  // Beside other changes, archiving alone would lose them.
  const isAlone = issue !== undefined && Object.keys(others).length === 1
  refuse('An update archives nothing.', 'To archive the issue', 'ArchiveIssue', isAlone ? { issue } : undefined)
}

function refuse(fault: string, purpose: string, name: string, args?: JsonObject): never {
  const tool = `IssueTracker.${name}`
  throw new InvalidInput(Message.of(fault, sentence`${purpose}, use ${{ tool }}.`), { ...(args && { next: { tool, arguments: args } }) })
}
