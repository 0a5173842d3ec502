import type { LinearDocument as Linear } from '@linear/sdk'
import type { LinearCall } from '../../linear/client.ts'
import { issueFilter, issueId } from '../../linear/references.ts'
import { findMovedIssue, issueRef, notFound } from '../not-found.ts'

interface PageOfIssue {
  /** The issue that the filter finds. */
  readonly issue?: readonly unknown[] | undefined
}

/** A page of a list that may be filtered by issue. An issue's former identifier costs two more requests. Throws `NotFound`. */
export async function ofIssue<Page extends PageOfIssue>(
  linear: LinearCall,
  reference: string | undefined,
  read: (issue: Linear.IssueFilter | undefined) => Promise<Page>,
): Promise<Page> {
  if (reference === undefined) return read(undefined)
  const page = await read(issueFilter(reference))
  if (page.issue?.length !== 0) return page
  const moved = await findMovedIssue(linear, reference)
  if (!moved) throw notFound(issueRef(issueId(reference)))
  return read(issueFilter(moved.id))
}
