import { Message, NotFound, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import type { LinearCall } from '../../linear/client.ts'
import { deleteRelation } from '../../linear/issues/places.ts'
import { closedTypes } from '../../linear/records.ts'
import { findBoth, relationIds, relationTypes } from '../../resolve/relations.ts'
import { relationParameters, relationResult } from '../../tools/issues/relation-inputs.ts'
import { issueName } from '../../tools/rows.ts'

export const deleteIssueRelation = defineTool({
  name: 'DeleteIssueRelation',
  title: 'Remove a relation between two issues',
  description: Message.of(
    'Remove the relation between two issues: a ticket no longer blocks another, is blocked by it, duplicates it or is related to it. Neither issue changes, and a duplicate that was closed stays closed.',
    sentence`${{ tool: 'IssueTracker.GetIssue' }} lists relations; ${{ tool: 'IssueTracker.CreateIssueRelation' }} adds one.`,
  ),
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject(relationParameters),
  output: z.object(relationResult),
  example: { issue: 'ENG-28', related_issue: 'ENG-4', relation_type: 'duplicate' },
  async run({ issue: one, related_issue: two, relation_type: type }, { linear }, { notice }) {
    const { source: issue, related } = await findBoth(linear, one, two)
    const relation = { issue: issueName(issue), relation_type: type, related_issue: issueName(related) }
    const ids = relationIds(issue, related.id, type)
    if (ids.length === 0) {
      const others = relationTypes.filter((each) => relationIds(issue, related.id, each).length > 0)
      const present = others.length === 0 ? '' : ` Its relations to that issue: ${others.join(', ')}.`
      notice(`${issue.identifier} has no such relation to ${related.identifier}; nothing was changed.${present}`)
      return { relation, changed: false }
    }
    const isLeft = async (id: string) => relationIds((await findBoth(linear, issue.id, related.id)).source, related.id, type).includes(id)
    // Linear may store the same relation several times; all copies must be removed.
    for (const id of ids) {
      const removed = await remove(linear, id, isLeft)
      const unconfirmed = confirmDone('Linear', removed === undefined ? 'unread' : removed === id, 'the relation is still there')
      if (unconfirmed !== undefined) notice(unconfirmed)
    }
    const { identifier, state } = issue
    const reopens = sentence`${{ tool: 'IssueTracker.TransitionIssueState' }} reopens it.`
    if (type === 'duplicate' && closedTypes.includes(state.type))
      notice(Message.of(`${identifier} stays in ${quote(state.name, 80)}.`, reopens))
    return { relation, changed: true }
  },
})

/** Removes a relation and resolves with its id. A relation that neither Linear nor `isLeft` finds counts as removed. */
async function remove(linear: LinearCall, id: string, isLeft: (id: string) => Promise<boolean>): Promise<string | undefined> {
  try {
    return (await linear.send(deleteRelation, { id })).issue_relation_delete.entity_id
  } catch (error) {
    if (error instanceof NotFound && !(await isLeft(id))) return id
    throw error
  }
}
