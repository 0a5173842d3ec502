import { InvalidInput } from '@mcp-toolkits/core'
import { throwCombined } from '@mcp-toolkits/core/matching'
import * as z from 'zod'
import { type Context, defineTool } from '../context.ts'
import type { LinearClient } from '../linear/client.ts'
import { issueFilter } from '../linear/filters.ts'
import { bothIssues, relate, relation, type Side } from '../linear/issue-relations.ts'
import { once } from '../linear/once.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { formerly } from '../resolve/formerly.ts'
import { issueSought, notFound } from '../resolve/sought.ts'
import { createdEarlier, noticeOf } from './notices.ts'
import { issueReference } from './parameters.ts'
import { noticed } from './writing.ts'

const relationTypes = ['blocks', 'blockedBy', 'duplicate', 'related'] as const
type RelationType = (typeof relationTypes)[number]

/** Linear has no "blocked by": the other issue blocks this one. */
const vendorTypes = { blocks: 'blocks', blockedBy: 'blocks', duplicate: 'duplicate', related: 'related' } as const

export const createIssueRelation = defineTool({
  name: 'CreateIssueRelation',
  title: 'Relate two issues',
  description:
    'Relate an issue to another, as seen from the first: it blocks the other, is blocked by it, duplicates it, or both are related. Relating them again changes nothing. A duplicate is moved to a state that closes it.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    related_issue: issueReference.describe('The other issue: identifier, id or URL.'),
    relation_type: z.enum(relationTypes).describe('What the first issue is to the other.'),
  }),
  output: z.object({
    relation: z.object({ relation_type: z.enum(relationTypes), issue: IssueRef, related_issue: IssueRef }),
    changed: z.boolean(),
    ...noticed,
  }),
  run: async (args, context, { signal }) => context.relating.take(async () => relateOnce(args, context, signal)),
})

interface Wanted {
  readonly issue: string
  readonly related_issue: string
  readonly relation_type: RelationType
}

async function relateOnce(
  args: Wanted,
  { linear, idempotencyKeys: identities }: Pick<Context, 'linear' | 'idempotencyKeys'>,
  signal: AbortSignal,
) {
  const { relation_type: type } = args
  const { source: found, related } = await both(linear, args, signal)
  const { relations, inverse_relations: inverse, ...source } = found
  if (source.id === related.id) throw new InvalidInput(`${source.identifier} cannot be related to itself. Name another issue.`)
  if (isRelated({ relations, inverse }, related.id, type)) {
    return { relation: { relation_type: type, issue: source, related_issue: related }, changed: false }
  }
  if (type === 'duplicate' && inverse.some((each) => each.type === type && each.issue.id === related.id))
    throw new InvalidInput(
      `${related.identifier} is a duplicate of ${source.identifier} already. The other way round too, both would be closed; a person can take the first relation away in Linear.`,
    )
  const turned = type === 'blockedBy'
  const [first, second] = turned ? [related, source] : [source, related]
  const input = { issueId: first.id, relatedIssueId: second.id, type: vendorTypes[type] }
  const { record, earlier } = await identities.run(
    ['CreateIssueRelation', args],
    (id) =>
      once(
        async () => (await linear.run(relate, { input: { ...input, id } }, signal)).issue_relation_create,
        () => linear.run(relation, { id }, signal),
      ),
    signal,
  )
  const { issue: stored, related_issue: storedRelated } = record.issue_relation
  const [from, to] = turned ? [storedRelated, stored] : [stored, storedRelated]
  return { relation: { relation_type: type, issue: from, related_issue: to }, changed: true, ...noticeOf(createdEarlier(earlier)) }
}

/** Both issues. One request; more where one is not found by the identifier that it has now. */
async function both(
  linear: LinearClient,
  { issue, related_issue: other }: Pick<Wanted, 'issue' | 'related_issue'>,
  signal: AbortSignal,
): Promise<{ readonly source: Side; readonly related: z.output<typeof IssueRef> }> {
  const filters = { source: issueFilter(issue), related: issueFilter(other) }
  const {
    source: [source],
    related: [related],
  } = await linear.run(bothIssues, filters, signal)
  if (source && related) return { source, related }
  const [first, second] = await Promise.all([source ?? formerly(linear, issue, signal), related ?? formerly(linear, other, signal)])
  throwCombined([...(first ? [] : [issue]), ...(second ? [] : [other])].map((one) => notFound(issueSought(issueNamed(one)))))
  return both(linear, { issue: first?.id ?? issue, related_issue: second?.id ?? other }, signal)
}

interface Relations {
  readonly relations: Side['relations']
  readonly inverse: Side['inverse_relations']
}

function isRelated({ relations, inverse }: Relations, to: string, type: RelationType): boolean {
  const outgoing = (kind: string) => relations.some((each) => each.type === kind && each.related_issue.id === to)
  const incoming = (kind: string) => inverse.some((each) => each.type === kind && each.issue.id === to)
  if (type === 'blockedBy') return incoming('blocks')
  return outgoing(type) || (type === 'related' && incoming(type))
}
