import type { LinearDocument as Linear } from '@linear/sdk'
import { TooLarge } from '@mcp-toolkits/core/errors'
import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import { type IssueWithRelations, relationLookup } from '../linear/issues/relations.ts'
import type { IssueRef } from '../linear/records.ts'
import { issueFilter, issueId } from '../linear/references.ts'
import { findMovedIssue, issueRef, notFound, throwSuggested } from './not-found.ts'

export const relationTypes = ['blocks', 'blockedBy', 'duplicate', 'related'] as const
export type RelationType = (typeof relationTypes)[number]

/** Linear has no "blocked by": the other issue blocks this one. */
export const vendorTypes = { blocks: 'blocks', blockedBy: 'blocks', duplicate: 'duplicate', related: 'related' } as const

type Related = z.output<typeof IssueRef>

/** Both issues of a relation. The first has the relations to the second that the lists of either show. */
export async function findBoth(linear: LinearCall, issue: string, relatedIssue: string) {
  const read = async (filters: PairFilters) => linear.send(relationLookup, filters)
  const { source, related } = await findPair(linear, { issue, related_issue: relatedIssue }, read)
  const outgoing = related.inverse_relations.filter((each) => each.issue.id === source.id)
  const incoming = related.relations.filter((each) => each.related_issue.id === source.id)
  const united = {
    relations: byId([...source.relations, ...outgoing.map((each) => ({ ...each, related_issue: related }))]),
    inverse_relations: byId([...source.inverse_relations, ...incoming.map((each) => ({ ...each, issue: related }))]),
  }
  const isCut =
    (source.has_more_relations && related.has_more_inverse_relations) || (source.has_more_inverse_relations && related.has_more_relations)
  return { source: { ...source, ...united, isCut }, related }
}

const byId = <Relation extends { readonly id: string }>(relations: readonly Relation[]) => [
  ...new Map(relations.map((each) => [each.id, each])).values(),
]

/** Throws `TooLarge` if two issues may have a relation that the lists of neither show. */
export function requireAll({ isCut, identifier }: { readonly isCut: boolean; readonly identifier: string }, related: Related): void {
  if (!isCut) return
  throw new TooLarge(
    `${identifier} and ${related.identifier} each have more than 100 relations, so this one may be there unseen. Nothing was changed; a person can look in Linear.`,
  )
}

interface PairFilters {
  readonly source: Linear.IssueFilter
  readonly related: Linear.IssueFilter
}

/** Two issues, by the parameters that name them. One request; more for an issue with a former identifier. */
export async function findPair<Source extends { readonly id: string }, Other extends { readonly id: string }>(
  linear: LinearCall,
  names: Readonly<Record<string, string>>,
  read: (filters: PairFilters) => Promise<{ readonly source: readonly Source[]; readonly related: readonly Other[] }>,
): Promise<{ readonly source: Source; readonly related: Other }> {
  const [one = '', two = ''] = Object.values(names)
  const found = await read({ source: issueFilter(one), related: issueFilter(two) })
  const [[source], [related]] = [found.source, found.related]
  if (source && related) return { source, related }
  const [first, second] = await Promise.all([source ?? findMovedIssue(linear, one), related ?? findMovedIssue(linear, two)])
  const missing = [...(first ? [] : [one]), ...(second ? [] : [two])]
  const failures = missing.map((reference) => notFound(issueRef(issueId(reference))))
  await throwSuggested(linear, failures, names)
  const [oneName = '', twoName = ''] = Object.keys(names)
  return findPair(linear, { [oneName]: first?.id ?? one, [twoName]: second?.id ?? two }, read)
}

/** The ids of the relations of that type to the issue `to`. */
export function relationIds(
  { relations, inverse_relations: inverse }: Pick<IssueWithRelations, 'relations' | 'inverse_relations'>,
  to: string,
  type: RelationType,
): readonly string[] {
  const outgoing = relations.filter((each) => each.type === type && each.related_issue.id === to)
  const incoming = inverse.filter((each) => each.type === vendorTypes[type] && each.issue.id === to)
  const found = { blocks: outgoing, duplicate: outgoing, blockedBy: incoming, related: [...outgoing, ...incoming] }
  return found[type].map(({ id }) => id)
}
