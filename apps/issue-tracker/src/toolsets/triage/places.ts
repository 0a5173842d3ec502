import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { confirmChange, confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import type { LinearCall } from '../../linear/client.ts'
import { issueAndParent, placeOfIssue, type PlacedIssue, setParent, unarchiveIssue as unarchive } from '../../linear/issues/places.ts'
import { issueId } from '../../linear/references.ts'
import { isArchived } from '../../linear/stored.ts'
import { isNobody } from '../../resolve/corrections.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { findPair } from '../../resolve/relations.ts'
import { issueReference, noticesField } from '../../tools/parameters.ts'
import { IssueName, issueName } from '../../tools/rows.ts'

export const setParentIssue = defineTool({
  name: 'SetParentIssue',
  title: 'Set the parent of an issue',
  description: Message.of(
    'Make an issue a sub-issue of another, move it under a different parent, or pass "none" to detach it. Its team, state and own sub-issues do not change; a sub-issue of the issue cannot become its parent.',
    sentence`For issues that are only related, use ${{ tool: 'IssueTracker.CreateIssueRelation' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    issue: issueReference,
    parent_issue: issueReference.describe('ENG-12, id or URL; "none" removes the parent.'),
  }),
  output: z.object({
    issue: IssueName,
    parent: IssueName.optional(),
    previous_parent: z.string().optional(),
    changed: z.boolean(),
    ...noticesField,
  }),
  example: { issue: 'ENG-35', parent_issue: 'ENG-21' },
  async run({ issue: reference, parent_issue: parent }, { linear }, { notice }) {
    const { issue, above } = isNobody(parent)
      ? { issue: await findPlace(linear, reference), above: undefined }
      : await findBoth(linear, reference, parent)
    if (above?.id === issue.id) throw new InvalidInput(`${issue.identifier} cannot be its own parent. Name another issue.`)
    const before = issue.parent
    if (before?.id === above?.id) {
      notice(`${issue.identifier} ${before ? `is already a sub-issue of ${before.identifier}` : 'has no parent'}; nothing was changed.`)
      return { ...placed(issue), changed: false }
    }
    const moved = await setParent(linear, { id: issue.id, input: { parentId: above?.id ?? null } })
    confirmChange('Linear', { parent_issue: moved.parent?.id === above?.id })
    return { ...placed(moved), previous_parent: before?.identifier, changed: true }
  },
})

async function findPlace(linear: LinearCall, reference: string): Promise<PlacedIssue> {
  const id = issueId(reference)
  return (await withNotFoundHint(issueRef(id), linear.send(placeOfIssue, { id }))).issue
}

async function findBoth(linear: LinearCall, issue: string, parent: string) {
  const found = await findPair(linear, { issue, parent_issue: parent }, async (filters) => linear.send(issueAndParent, filters))
  return { issue: found.source, above: found.related }
}

const placed = ({ parent, ...issue }: PlacedIssue) => ({ issue: issueName(issue), ...(parent && { parent: issueName(parent) }) })

export const unarchiveIssue = defineTool({
  name: 'UnarchiveIssue',
  title: 'Restore an issue',
  description: Message.of(
    'Restore an archived or deleted issue: bring a hidden ticket back from the archive or the trash, in the state that it had. Its sub-issues are not restored with it. If it is not archived, nothing changes.',
    sentence`To reopen a closed issue, use ${{ tool: 'IssueTracker.TransitionIssueState' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueName, changed: z.boolean(), ...noticesField }),
  example: { issue: 'ENG-25' },
  async run({ issue: reference }, { linear }, { notice }) {
    const issue = await findPlace(linear, reference)
    if (isArchived(issue) === false) {
      notice(`${issue.identifier} is in ${quote(issue.state.name, 80)} and not archived; nothing was changed.`)
      return { issue: issueName(issue), changed: false }
    }
    const { entity } = (await linear.send(unarchive, { id: issue.id })).issue_unarchive
    const archived = isArchived(entity)
    const unconfirmed = confirmDone('Linear', archived === 'unread' ? archived : !archived, `${entity.identifier} is still archived`)
    if (unconfirmed !== undefined) notice(unconfirmed)
    return { issue: issueName(entity), changed: true }
  },
})
