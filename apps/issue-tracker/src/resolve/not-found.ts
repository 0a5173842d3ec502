import { NotFound } from '@mcp-toolkits/core'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { quote } from '@mcp-toolkits/core/text'
import type { LinearCall } from '../linear/client.ts'
import { issueByIdentifier } from '../linear/issues.ts'
import { issueId } from '../linear/references.ts'

/** A reference that Linear itself looks up, and how to find what it refers to. */
interface DirectReference {
  readonly kind: string
  readonly reference: string
  /** The tool that lists things of that kind, by its canonical name. */
  readonly listTool: string
  /** The arguments of that tool; `unknown` when this call does not contain them. */
  readonly arguments?: Readonly<Record<string, unknown>> | 'unknown'
}

export const issueRef = (reference: string): DirectReference => ({ kind: 'issue', reference, listTool: 'IssueTracker.ListIssues' })
export const projectRef = (reference: string): DirectReference => ({ kind: 'project', reference, listTool: 'IssueTracker.ListProjects' })
export const initiativeRef = (reference: string): DirectReference => ({
  kind: 'initiative',
  reference,
  listTool: 'IssueTracker.ListInitiatives',
})
export const cycleRef = (reference: string): DirectReference => ({ kind: 'cycle', reference, listTool: 'IssueTracker.ListCycles' })

/** A comment, and its issue if that is known. */
export const commentRef = (reference: string, issue?: string): DirectReference => ({
  kind: 'comment',
  reference,
  listTool: 'IssueTracker.ListComments',
  arguments: issue === undefined ? 'unknown' : { issue },
})

/** Replaces Linear's "not found", which mentions neither the reference nor a next step. */
export async function withNotFoundHint<Data>(reference: DirectReference, lookup: Promise<Data>): Promise<Data> {
  try {
    return await lookup
  } catch (error) {
    throw error instanceof NotFound ? notFound(reference) : error
  }
}

/** The error for a reference that matches nothing. `parameter` is for calls in which several references could be wrong. */
export function notFound({ kind, reference, listTool: tool, arguments: args }: DirectReference, parameter?: string): NotFound {
  const where = parameter === undefined ? '' : ` (${parameter})`
  const text = Message.of(`No ${kind} has the reference ${quote(reference, 80)}${where}.`, sentence`${{ tool }} finds it by other means.`)
  return new NotFound(text, { ...(args !== 'unknown' && { next: { tool, ...(args && { arguments: args }) } }) })
}

/**
 * The issue with a former identifier, which filters do not find; undefined when there is none. Costs one request if the reference could
 * be an identifier.
 */
export async function findMovedIssue(
  linear: LinearCall,
  reference: string,
): Promise<{ readonly id: string; readonly identifier: string } | undefined> {
  const id = issueId(reference)
  if (!/^[a-z][a-z0-9]*-[1-9]\d*$/i.test(id)) return undefined
  try {
    return (await linear.run(issueByIdentifier, { id })).issue
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
