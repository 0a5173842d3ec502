import type { LinearDocument as Linear } from '@linear/sdk'
import type { LinearCall } from '../linear/client.ts'
import { type IssueWithRelations, moreInverseRelations, moreRelations, relationLookup } from '../linear/issues/relations.ts'
import { issueFilter, issueId } from '../linear/references.ts'
import { findMovedIssue, issueRef, notFound, throwSuggested } from './not-found.ts'

export const relationTypes = ['blocks', 'blockedBy', 'duplicate', 'related'] as const
export type RelationType = (typeof relationTypes)[number]

/** Linear has no "blocked by" type: the other issue blocks this one. */
export const vendorTypes = { blocks: 'blocks', blockedBy: 'blocks', duplicate: 'duplicate', related: 'related' } as const

/**
 * Both issues of a relation. The first includes all its relations to the second, even if that takes more pages.
 */
export async function findBoth(linear: LinearCall, issue: string, relatedIssue: string) {
  const read = async (filters: PairFilters) => linear.send(relationLookup, filters)
  const { source, related } = await findPair(linear, { issue, related_issue: relatedIssue }, read)
  const outgoing = related.inverse_relations.filter((each) => each.issue.id === source.id)
  const incoming = related.relations.filter((each) => each.related_issue.id === source.id)
  // Both lists show each relation, so one is enough.
  const [hidden, inverseHidden] = await Promise.all([
    source.has_more_relations && related.has_more_inverse_relations ? relationsAfter(linear, source.id, source.relations_end_cursor) : [],
    source.has_more_inverse_relations && related.has_more_relations
      ? inverseAfter(linear, source.id, source.inverse_relations_end_cursor)
      : [],
  ])
  const united = {
    relations: byId([...source.relations, ...hidden, ...outgoing.map((each) => ({ ...each, related_issue: related }))]),
    inverse_relations: byId([...source.inverse_relations, ...inverseHidden, ...incoming.map((each) => ({ ...each, issue: related }))]),
  }
  return { source: { ...source, ...united }, related }
}

type Lists = Pick<IssueWithRelations, 'relations' | 'inverse_relations'>

async function relationsAfter(linear: LinearCall, id: string, after: string | undefined): Promise<Lists['relations']> {
  if (after === undefined) return []
  const { relations, has_more_relations: more, relations_end_cursor: end } = (await linear.send(moreRelations, { id, after })).issue
  return more ? [...relations, ...(await relationsAfter(linear, id, end))] : relations
}

async function inverseAfter(linear: LinearCall, id: string, after: string | undefined): Promise<Lists['inverse_relations']> {
  if (after === undefined) return []
  const { issue } = await linear.send(moreInverseRelations, { id, after })
  const { inverse_relations: relations, has_more_inverse_relations: more, inverse_relations_end_cursor: end } = issue
  return more ? [...relations, ...(await inverseAfter(linear, id, end))] : relations
}

const byId = <Relation extends { readonly id: string }>(relations: readonly Relation[]) => [
  ...new Map(relations.map((each) => [each.id, each])).values(),
]

interface PairFilters {
  readonly source: Linear.IssueFilter
  readonly related: Linear.IssueFilter
}

/** Two issues, by the parameters that name them. Takes one request, or more for an issue's former identifier. */
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

/** Ids of the `type` relations to the issue `to`. */
export function relationIds({ relations, inverse_relations: inverse }: Lists, to: string, type: RelationType): readonly string[] {
  const outgoing = relations.filter((each) => each.type === type && each.related_issue.id === to)
  const incoming = inverse.filter((each) => each.type === vendorTypes[type] && each.issue.id === to)
  const found = { blocks: outgoing, duplicate: outgoing, blockedBy: incoming, related: [...outgoing, ...incoming] }
  return found[type].map(({ id }) => id)
}
