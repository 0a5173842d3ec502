import { NotFound } from '@mcp-toolkits/core'
import type * as z from 'zod'
import type { LinearClient } from '../linear/client.ts'
import { issueReferences } from '../linear/issue-references.ts'
import type { Attached } from '../linear/issue-writes.ts'
import type { Issue } from '../linear/records.ts'
import { type IssueIds, reportAnywhere, resolveInTeam } from './issue.ts'
import { type IssueNames, variablesOf } from './issue-questions.ts'
import { issueSought, notFound } from './sought.ts'

export interface IssueChange {
  /** The issue, by identifier or id. */
  readonly issue: string
  readonly named: IssueNames
  /** An address that is to be attached. */
  readonly url: string | undefined
  /** Whether the call has a point without its estimate and its cycle. */
  readonly mayDrop: boolean
}

export interface IssueChangeIds {
  readonly ids: IssueIds
  /** The issue as it is. */
  readonly issue: z.output<typeof Issue>
  /** What is attached under the address already. */
  readonly attached: Attached | undefined
}

/**
 * The ids behind all names of a change, in one request; one more when a name misses. Throws one error for all that cannot be used;
 * nothing has been written by then.
 */
export async function resolveIssueChange(
  linear: LinearClient,
  { issue: id, named, url, mayDrop }: IssueChange,
  signal: AbortSignal,
): Promise<IssueChangeIds> {
  const variables = { id, url: url ?? '', hasUrl: url !== undefined, ...variablesOf(named) }
  const found = await linear.run(issueReferences, variables, signal).catch(async (error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    await reportAnywhere(linear, { named, failures: [notFound(issueSought(id))] }, signal)
    throw error
  })
  const { issue, ...outside } = found
  const { present, attachments, team: scope, ...rest } = issue
  const ids = await resolveInTeam(linear, { named, scope, outside, present, mayDrop, failures: [] }, signal)
  return { ids, issue: { ...rest, team: { id: scope.id, key: scope.key, name: scope.name } }, attached: attachments?.[0] }
}
