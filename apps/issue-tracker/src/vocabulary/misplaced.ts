import { isObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'

const parents = ['parent_comment_id', 'parent_comment', 'parent_id', 'reply_to', 'in_reply_to']
const parentIssues = ['parent_issue', 'parent_issue_id', 'parent_id', 'parent']

/** Throws `InvalidInput` for arguments of a request that another tool serves, or none. */
export function refuseMisplaced(name: string, args: unknown): void {
  if (!isObject(args)) return
  if (name === 'AddComment') refuseReply(args)
  if (name === 'UpdateIssue') refuseParent(args)
  if (name === 'UpdateIssue') refuseArchiving(args)
}

function refuseReply(args: Readonly<Record<string, unknown>>): void {
  const parent = parents.map((each) => stringMember(args, each)).find((each) => each !== undefined)
  if (parent === undefined) return
  const [issue, body] = [stringMember(args, 'issue'), stringMember(args, 'body')]
  const tool = 'IssueTracker.ReplyToComment'
  const next = {
    tool,
    arguments: { ...(issue !== undefined && { issue }), parent_comment_id: parent, ...(body !== undefined && { body }) },
  }
  throw new InvalidInput(Message.of('A new comment answers no other.', sentence`To answer one, use ${{ tool }}.`), { next })
}

function refuseParent(args: Readonly<Record<string, unknown>>): void {
  const name = parentIssues.find((each) => Object.hasOwn(args, each))
  if (name === undefined) return
  throw new InvalidInput(
    Message.of(
      `Unknown argument "${name}": no tool changes the parent of an issue; a person can, in Linear.`,
      sentence`${{ tool: 'IssueTracker.CreateIssue' }} sets it for a new one. Leave it out.`,
    ),
  )
}

function refuseArchiving({ archived, ...args }: Readonly<Record<string, unknown>>): void {
  if (archived !== true && archived !== 'true') return
  const tool = 'IssueTracker.ArchiveIssue'
  const issue = stringMember(args, 'issue_id')
  // Beside other changes, archiving alone would lose them.
  const isAlone = issue !== undefined && Object.keys(args).length === 1
  throw new InvalidInput(Message.of('An update archives nothing.', sentence`To archive the issue, use ${{ tool }}.`), {
    ...(isAlone && { next: { tool, arguments: { issue } } }),
  })
}
