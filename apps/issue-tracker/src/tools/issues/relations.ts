import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { type CallContext, confirmChange, type Operation } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { createOnce, createUnique, type LinearCall } from '../../linear/client.ts'
import { subscribe, unsubscribe } from '../../linear/issues/issues.ts'
import { issueId } from '../../linear/references.ts'
import { closedTypes, type IssueRef } from '../../linear/records.ts'
import { createRelation, getRelation } from '../../linear/issues/relations.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { findBoth, relationIds, type RelationType, vendorTypes } from '../../resolve/relations.ts'
import { creationNotice, foundNotice, noticesOf } from '../notices.ts'
import { issueReference } from '../parameters.ts'
import { IssueName, issueName } from '../rows.ts'
import { relationParameters, relationResult } from './relation-inputs.ts'

export const createIssueRelation = defineTool({
  name: 'CreateIssueRelation',
  title: 'Relate two issues',
  description: Message.of(
    'Relate two issues: add a dependency (one ticket depends on another, is blocking or blocked by it), or mark it as a duplicate or related. A duplicate is closed. This tool cannot remove a relation.',
    sentence`For a sub-issue, use ${{ tool: 'IssueTracker.CreateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject(relationParameters),
  output: z.object(relationResult),
  example: { issue: 'ENG-35', related_issue: 'ENG-21', relation_type: 'related' },
  async run(args, { linear, withRelationLock }, { operation, notice, scope }) {
    // A call with an idempotency key may wait for another process, and must not hold up other calls meanwhile.
    if (operation.isKeyed) await operation.claim()
    // One at a time, because two simultaneous calls could store the same relation twice; a lock per issue would need the lookup first.
    return withRelationLock(scope, async () => relateOnce(args, linear, { operation, notice }))
  },
})

async function relateOnce(
  args: { readonly issue: string; readonly related_issue: string; readonly relation_type: RelationType },
  linear: LinearCall,
  { operation, notice }: { readonly operation: Operation; readonly notice: CallContext['notice'] },
) {
  const { relation_type: type } = args
  const { source: issue, related } = await findBoth(linear, args.issue, args.related_issue)
  if (issue.id === related.id) throw new InvalidInput(`${issue.identifier} cannot be related to itself. Name another issue.`)
  const present = relationIds(issue, related.id, type)
  if (present.length > 0) {
    const relation = { issue: issueName(issue), relation_type: type, related_issue: issueName(related) }
    noticeOpenDuplicate(type, issue, notice)
    const found = { part: 'relation', ids: present, notice: `${issue.identifier} already has this relation.` }
    return { relation, ...foundNotice(await operation.claim(), found) }
  }
  if (type === 'duplicate' && issue.inverse_relations.some((each) => each.type === type && each.issue.id === related.id))
    throw new InvalidInput(
      `${related.identifier} is already a duplicate of ${issue.identifier}. If each were a duplicate of the other, both would be closed; a person can remove the first relation in Linear.`,
      { next: { tool: 'IssueTracker.GetIssue', arguments: { issue_id: issue.identifier } } },
    )
  const opposite = type === 'blocks' ? 'blockedBy' : type === 'blockedBy' ? 'blocks' : undefined
  if (opposite && relationIds(issue, related.id, opposite).length > 0) {
    const [blocker, blocked] = type === 'blocks' ? [related, issue] : [issue, related]
    notice(
      `${blocker.identifier} already blocks ${blocked.identifier}, so now both block each other. A person can remove one of the relations in Linear.`,
    )
  }
  const isReversed = type === 'blockedBy'
  const [from, to] = isReversed ? [related, issue] : [issue, related]
  const creation = await createUnique(operation, async (identity) => {
    const input = { id: identity.uuid('relation'), issueId: from.id, relatedIssueId: to.id, type: vendorTypes[type] }
    return createOnce(
      async () => (await linear.send(createRelation, { input })).issue_relation_create,
      async () => linear.send(getRelation, { id: input.id }),
    )
  })
  const { record, wasCreatedEarlier } = creation.result
  const { issue: storedFrom, related_issue: storedTo } = record.issue_relation
  const isStored = record.issue_relation.type === vendorTypes[type] && storedFrom.id === from.id && storedTo.id === to.id
  confirmChange('Linear', { relation_type: isStored })
  const [first, second] = isReversed ? [storedTo, storedFrom] : [storedFrom, storedTo]
  noticeOpenDuplicate(type, first, notice)
  return {
    relation: { issue: issueName(first), relation_type: type, related_issue: issueName(second) },
    changed: true,
    ...noticesOf(creationNotice(creation, wasCreatedEarlier)),
  }
}

/** Adds a notice about an open duplicate: Linear closes an issue only when it is first marked as a duplicate. */
function noticeOpenDuplicate(type: RelationType, { identifier, state }: z.output<typeof IssueRef>, notice: CallContext['notice']): void {
  if (type !== 'duplicate' || closedTypes.includes(state.type)) return
  const close = sentence`${{ tool: 'IssueTracker.TransitionIssueState' }} closes it.`
  notice(Message.of(`${identifier} is a duplicate and still open, in ${quote(state.name, 80)}.`, close))
}

export const manageIssueSubscription = defineTool({
  name: 'ManageIssueSubscription',
  title: 'Follow or leave an issue',
  description: Message.of(
    'Subscribe me to an issue or unsubscribe: follow, watch or mute a ticket to get or stop notifications.',
    sentence`To assign it, use ${{ tool: 'IssueTracker.UpdateIssue' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    subscribe: z.boolean().describe('false unsubscribes.'),
  }),
  output: z.object({ issue: IssueName, subscribed: z.boolean() }),
  example: { issue: 'OPS-14', subscribe: true },
  async run(args, { linear }) {
    const id = issueId(args.issue)
    const { done } = await withNotFoundHint(issueRef(id), linear.send(args.subscribe ? subscribe : unsubscribe, { id }))
    const subscribed = done.issue.subscribers.length > 0
    confirmChange('Linear', { subscribe: subscribed === args.subscribe })
    return { issue: issueName(done.issue), subscribed }
  },
})
