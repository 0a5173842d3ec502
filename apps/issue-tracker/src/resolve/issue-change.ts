import { NotFound } from '@mcp-toolkits/core'
import type { LinearClient } from '../linear/client.ts'
import { issueReferences } from '../linear/issue-references.ts'
import type { Attached } from '../linear/issue-writes.ts'
import { notFound } from './sought.ts'
import { type IssueIds, reportAnywhere, resolveInTeam } from './issue.ts'
import { type Named, variablesOf } from './issue-questions.ts'

export interface IssueChange {
  /** The issue, by identifier or id. */
  readonly issue: string
  readonly named: Named
  /** An address that is to be attached. */
  readonly url: string | undefined
}

export interface IssueChangeIds extends IssueIds {
  readonly issueId: string
  /** What is attached under the address already. */
  readonly attached: Attached | undefined
}

export const issueSought = (wanted: string) => ({ kind: 'issue', wanted, listedBy: 'IssueTracker.ListIssues' })

/**
 * The ids behind all names of a change, in one request; one more when a name misses. Throws one error for all that cannot be used;
 * nothing has been written by then.
 */
export async function resolveIssueChange(
  linear: LinearClient,
  { issue: id, named, url }: IssueChange,
  signal: AbortSignal,
): Promise<IssueChangeIds> {
  const variables = { id, url: url ?? '', hasUrl: url !== undefined, ...variablesOf(named) }
  const look = linear.run(issueReferences, variables, signal)
  const found = await look.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined
    throw error
  })
  if (!found) return reportAnywhere(linear, { named, failures: [notFound(issueSought(id))] }, signal)
  const { issue, ...workspace } = found
  const ids = await resolveInTeam(linear, { named, scope: issue.team, workspace, present: issue.labels }, signal)
  return { ...ids, issueId: issue.id, attached: issue.attachments?.[0] }
}
