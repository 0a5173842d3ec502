import { InvalidInput } from '@mcp-toolkits/core'
import { Attempts } from '@mcp-toolkits/core/matching'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { issueFilter } from '../linear/filters.ts'
import { bothIssues, relate, relation, type Side } from '../linear/issue-relations.ts'
import { once } from '../linear/once.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { issueSought } from '../resolve/issue-change.ts'
import { notFound } from '../resolve/sought.ts'
import { createdEarlier, noticeOf } from './markdown.ts'
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
  async run(args, { linear, identities }, { signal }) {
    const type = args.relation_type
    const found = await linear.run(bothIssues, { source: issueFilter(args.issue), related: issueFilter(args.related_issue) }, signal)
    const { source, related } = both(found, [issueNamed(args.issue), issueNamed(args.related_issue)])
    if (source.id === related.id) throw new InvalidInput(`${source.identifier} cannot be related to itself. Name another issue.`)
    if (isRelated(source, related.id, type)) {
      return { relation: { relation_type: type, issue: IssueRef.parse(source), related_issue: related }, changed: false }
    }
    const turned = type === 'blockedBy'
    const [first, second] = turned ? [related, source] : [source, related]
    const input = { issueId: first.id, relatedIssueId: second.id, type: vendorTypes[type] }
    const { record, earlier } = await identities.using(['CreateIssueRelation', args], (id) =>
      once(
        async () => (await linear.run(relate, { input: { ...input, id } }, signal)).issue_relation_create,
        () => linear.run(relation, { id }, signal),
      ),
    )
    const { issue: stored, related_issue: storedRelated } = record.issue_relation
    const [from, to] = turned ? [storedRelated, stored] : [stored, storedRelated]
    return { relation: { relation_type: type, issue: from, related_issue: to }, changed: true, ...noticeOf(createdEarlier(earlier)) }
  },
})

function both(
  { source: [source], related: [related] }: z.output<(typeof bothIssues)['data']>,
  [issue, other]: readonly [string, string],
): { readonly source: Side; readonly related: z.output<typeof IssueRef> } {
  const attempts = new Attempts()
  const first = attempts.attempt(() => source ?? missing(issue))
  const second = attempts.attempt(() => related ?? missing(other))
  attempts.report()
  return { source: first(), related: second() }
}

function missing(wanted: string): never {
  throw notFound(issueSought(wanted))
}

function isRelated({ relations, inverse_relations: inverse }: Side, to: string, type: RelationType): boolean {
  const outgoing = (kind: string) => relations.some((each) => each.type === kind && each.related_issue.id === to)
  const incoming = (kind: string) => inverse.some((each) => each.type === kind && each.issue.id === to)
  if (type === 'blockedBy') return incoming('blocks')
  return outgoing(type) || (type === 'related' && incoming(type))
}
