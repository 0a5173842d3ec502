import { NotFound } from '@mcp-toolkits/core'
import { quoted } from '../linear/references.ts'

export interface Sought {
  readonly kind: string
  readonly wanted: string
  /** The tool that lists what there is, by its canonical name. */
  readonly listedBy: string
  /** What that tool has to be called with; `unknown` where this call does not say. */
  readonly arguments?: Readonly<Record<string, unknown>> | 'unknown'
}

export const issueSought = (wanted: string): Sought => ({ kind: 'issue', wanted, listedBy: 'IssueTracker.ListIssues' })
export const projectSought = (wanted: string): Sought => ({ kind: 'project', wanted, listedBy: 'IssueTracker.ListProjects' })
export const initiativeSought = (wanted: string): Sought => ({ kind: 'initiative', wanted, listedBy: 'IssueTracker.ListInitiatives' })
export const cycleSought = (wanted: string): Sought => ({ kind: 'cycle', wanted, listedBy: 'IssueTracker.ListCycles' })

/** A comment, of an issue if that is known. */
export const commentSought = (wanted: string, issue?: string): Sought => ({
  kind: 'comment',
  wanted,
  listedBy: 'IssueTracker.ListComments',
  arguments: issue === undefined ? 'unknown' : { issue },
})

/** Rewords Linear's "not found" for a look-up by reference, which names neither the reference nor what to do. */
export async function sought<Data>(wanted: Sought, lookup: Promise<Data>): Promise<Data> {
  try {
    return await lookup
  } catch (error) {
    throw error instanceof NotFound ? notFound(wanted) : error
  }
}

/** A reference to nothing, and where to look. */
export function notFound({ kind, wanted, listedBy: tool, arguments: args }: Sought): NotFound {
  return new NotFound(`No ${kind} has the reference ${quoted(wanted)}. ${tool} finds it by other means.`, {
    ...(args !== 'unknown' && { next: { tool, ...(args && { arguments: args }) } }),
  })
}
