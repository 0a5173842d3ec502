import type { LinearDocument as Linear } from '@linear/sdk'
import { withDetails, Conflict, isOutage, NotFound, ToolError } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import { Attachment, AttachmentRef, attachmentsAt, attachment, type NewAttachment } from './attachments.ts'
import { CreatedButMissing, type LinearCall, RefusedWithoutReason, update } from '../client.ts'
import { field, type InputOf, mutation, nodes, query } from '../document.ts'
import {
  Comment,
  Cycle,
  CycleRef,
  Flag,
  Issue,
  IssueRef,
  LabelRef,
  NamedRef,
  OptionalText,
  Person,
  State,
  TeamRef,
  Text,
  Timestamp,
  VendorPriority,
} from '../records.ts'

const ChildIssue = IssueRef.extend({ priority: VendorPriority, assignee: Person.optional() })

const IssueDetail = Issue.omit({ cycle: true, parent: true, labels: true }).extend({
  description: OptionalText,
  branch_name: OptionalText,
  previous_identifiers: z.array(Text).default([]),
  started_at: Timestamp,
  completed_at: Timestamp,
  canceled_at: Timestamp,
  trashed: z.boolean().optional(),
  creator: Person.optional(),
  delegate: NamedRef.optional(),
  team: TeamRef,
  project_milestone: NamedRef.optional(),
  cycle: Cycle.optional(),
  parent: IssueRef.optional(),
  labels: nodes('labels(first: 50)', LabelRef).default([]),
  comments: nodes('comments(first: 50) @include(if: $comments)', Comment).optional(),
  has_more_comments: z.boolean().optional(),
  attachments: nodes('attachments(first: 50) @include(if: $attachments)', Attachment).optional(),
  has_more_attachments: z.boolean().optional(),
  children: nodes('children(first: 50) @include(if: $children)', ChildIssue).optional(),
  has_more_children: z.boolean().optional(),
})

const Relation = z.object({ type: Text })

const IssueWithParts = IssueDetail.extend({
  relations: nodes('relations(first: 50) @include(if: $relations)', Relation.extend({ related_issue: IssueRef })).optional(),
  has_more_relations: z.boolean().optional(),
  inverse_relations: nodes('inverseRelations(first: 50) @include(if: $relations)', Relation.extend({ issue: IssueRef })).optional(),
  has_more_inverse_relations: z.boolean().optional(),
})
export type IssueWithParts = z.output<typeof IssueWithParts>

/** One issue. Its relations are read from both sides, because Linear stores each relation on only one of the two issues. */
export const getIssue = query(
  'GetIssue',
  { id: 'String!', comments: 'Boolean!', attachments: 'Boolean!', relations: 'Boolean!', children: 'Boolean!' },
  {
    issue: field('issue(id: $id)', IssueWithParts),
  },
)

/** Issues created by the caller, or assigned to the caller and changed, since a given time. */
export const recentIssues = query(
  'GetRecentActivity',
  { first: 'Int!', since: 'DateTimeOrDuration!' },
  {
    issues: nodes(
      `issues(first: $first, orderBy: updatedAt, filter: { or: [
        { creator: { isMe: { eq: true } }, createdAt: { gte: $since } }
        { assignee: { isMe: { eq: true } }, updatedAt: { gte: $since } }
      ] })`,
      Issue.extend({ creator: z.object({ is_me: Flag }).optional() }),
    ),
    has_more_issues: Flag,
  },
)

/** An issue by its id, its identifier or a former identifier. */
export const issueByIdentifier = query(
  'IssueByReference',
  { id: 'String!' },
  { issue: field('issue(id: $id)', z.object({ id: Text, identifier: Text })) },
)

/** Issues that a reference may have meant. */
export const issuesLike = query(
  'IssuesLike',
  { filter: 'IssueFilter!' },
  {
    issues: nodes('issues(first: 20, includeArchived: true, filter: $filter)', z.object({ id: Text, identifier: Text, title: Text })),
  },
)

const Id = z.object({ id: Text })

/** An issue, as stored by Linear, with every field that can be sent. */
const StoredIssue = Issue.extend({
  description: OptionalText,
  team: Id,
  delegate: NamedRef.optional(),
  cycle: CycleRef.extend({ id: Text }).optional(),
  parent: IssueRef.pick({ id: true, identifier: true }).optional(),
  all_labels: nodes('labels(first: 100)', Id),
})
export type StoredIssue = z.output<typeof StoredIssue>

const IssuePayload = z.object({ issue: StoredIssue })

export const newIssue = mutation(
  'CreateIssue',
  { input: 'IssueCreateInput!' },
  { issue_create: field('issueCreate(input: $input)', IssuePayload) },
)

/** Linear runs the two mutations in order and independently: the second can fail after the first has succeeded. */
export const newIssueWithAttachment = mutation(
  'CreateIssueWithAttachment',
  { input: 'IssueCreateInput!', attachment: 'AttachmentCreateInput!' },
  { issue_create: field('issueCreate(input: $input)', IssuePayload), attachment_create: attachment },
)

/** An issue by an id that may not exist, and one of its attachments. */
export const createdIssue = query(
  'CreatedIssue',
  { filter: 'IssueFilter!', attached: 'AttachmentFilter' },
  {
    issues: nodes(
      'issues(first: 1, includeArchived: true, filter: $filter)',
      StoredIssue.extend({
        attachments: nodes('attachments(first: 1, filter: $attached) @include(if: $hasAttached)', AttachmentRef).optional(),
      }),
    ),
  },
)

/** An attachment under an id that we chose. */
interface IdentifiedAttachment extends NewAttachment {
  readonly id: string
}

interface NewIssue {
  readonly input: InputOf<Linear.IssueCreateInput> & { readonly id: string }
  readonly attachment: IdentifiedAttachment | undefined
}

export interface CreatedIssue {
  readonly issue: StoredIssue
  readonly attachment: AttachmentRef | undefined
  /** The reason the issue has no attachment. */
  readonly attachmentError?: ToolError
  readonly wasCreatedEarlier: boolean
}

/**
 * Creates one issue under the id in its input, and its attachment in the same request, despite retries and interruptions. Throws if no
 * issue was created, and throws `Conflict` if an earlier attempt's issue cannot be read.
 */
export async function createIssue(linear: LinearCall, { input, attachment: page }: NewIssue): Promise<CreatedIssue> {
  const newAttachment = page && { ...page, issueId: input.id }
  try {
    if (!newAttachment) {
      const { issue_create: created } = await linear.send(newIssue, { input })
      return { issue: created.issue, attachment: undefined, wasCreatedEarlier: false }
    }
    const created = await linear.send(newIssueWithAttachment, { input, attachment: newAttachment })
    return { issue: created.issue_create.issue, attachment: created.attachment_create.attachment, wasCreatedEarlier: false }
  } catch (error) {
    if (!isFinal(error) || (!newAttachment && isOutage(error))) throw error
    const wasCreatedEarlier = error instanceof Conflict
    const find = () => findCreatedIssue(linear, input.id, page)
    const found = await find()
    if (!found) throw wasCreatedEarlier ? new CreatedButMissing() : error
    const { issue, attachment } = found
    if (!newAttachment || attachment) return { ...found, wasCreatedEarlier }
    // Linear refused the attachment in this attempt, or an earlier attempt was interrupted before it.
    if (!wasCreatedEarlier) return { issue, attachment, attachmentError: error, wasCreatedEarlier }
    return { issue, wasCreatedEarlier, ...(await attachToCreatedIssue(linear, newAttachment, find)) }
  }
}

/** The issue with its attachment, found by our id or, if the URL was attached some other way, by the URL. */
async function findCreatedIssue(linear: LinearCall, id: string, attachment: IdentifiedAttachment | undefined) {
  const attached = attachment && { or: [{ id: { eq: attachment.id } }, { url: { eq: attachment.url } }] }
  const [found] = (await linear.send(createdIssue, { filter: { id: { eq: id } }, attached })).issues
  if (!found) return undefined
  const { attachments, ...issue } = found
  return { issue, attachment: attachments?.[0] }
}

/** True for an error that a retry would not avoid. Anything that Linear stored before the error stays stored. */
export function isFinal(error: unknown): error is ToolError {
  return error instanceof ToolError && !error.retryable
}

export const createAttachment = mutation('AttachToIssue', { attachment: 'AttachmentCreateInput!' }, { attachment_create: attachment })

async function attachToCreatedIssue(
  linear: LinearCall,
  newAttachment: Linear.AttachmentCreateInput,
  find: () => Promise<Pick<CreatedIssue, 'attachment'> | undefined>,
): Promise<Pick<CreatedIssue, 'attachment' | 'attachmentError'>> {
  try {
    return { attachment: (await linear.send(createAttachment, { attachment: newAttachment })).attachment_create.attachment }
  } catch (error) {
    if (!isFinal(error)) throw error
    // The conflict is about the id that we chose: an earlier attempt's request has arrived meanwhile.
    const attachment = error instanceof Conflict ? (await find())?.attachment : undefined
    return attachment ? { attachment } : { attachment: undefined, attachmentError: error }
  }
}

export const changeIssue = mutation(
  'UpdateIssue',
  { id: 'String!', input: 'IssueUpdateInput!' },
  { issue_update: field('issueUpdate(id: $id, input: $input)', IssuePayload) },
)

/** The attachment comes first, so that a URL that Linear refuses leaves the issue unchanged. */
export const updateIssueWithAttachment = mutation(
  'UpdateIssueWithAttachment',
  { id: 'String!', input: 'IssueUpdateInput!', attachment: 'AttachmentCreateInput!' },
  { attachment_create: attachment, ...changeIssue.data.shape },
)

export const issueAttachments = query(
  'AttachedTo',
  { id: 'String!', url: 'String!' },
  { issue: field('issue(id: $id)', StoredIssue.extend({ attachments: attachmentsAt })) },
)

export interface IssueChange {
  readonly id: string
  readonly input: InputOf<Linear.IssueUpdateInput>
}

/**
 * Changes an issue, and attaches a URL to it if one is given. If the change was refused but the URL was attached, the error says so. The
 * result has no attachment if Linear refused only the URL.
 */
export async function updateIssue(
  linear: LinearCall,
  { id, input }: IssueChange,
  page: NewAttachment | undefined,
): Promise<{ readonly issue: StoredIssue; readonly attachment?: AttachmentRef }> {
  if (!page) return (await linear.send(changeIssue, { id, input })).issue_update
  try {
    const changed = await linear.send(updateIssueWithAttachment, { id, input, attachment: { ...page, issueId: id } })
    return { ...changed.issue_update, ...changed.attachment_create }
  } catch (error) {
    if (!isFinal(error) || error instanceof NotFound) throw error
    const { issue } = await linear.send(issueAttachments, { id, url: page.url })
    const isUnexplained = error instanceof RefusedWithoutReason
    if (issue.attachments[0])
      throw withDetails(
        error,
        error.text.and(`The URL is attached to the issue${isUnexplained ? '' : '; nothing else was changed'}.`),
        error.details,
      )
    if (isUnexplained && Object.values(input).some((value) => value !== undefined)) return { issue }
    throw error
  }
}

/** An issue with its state, and all the states it could have. */
export const statesOfIssue = query(
  'StatesOfIssue',
  { id: 'String!' },
  {
    issue: field(
      'issue(id: $id)',
      IssueRef.extend({ archived_at: Timestamp, team: TeamRef.extend({ states: nodes('states(first: 100)', State) }) }),
    ),
  },
)

export const moveToState = update('MoveToState', 'Issue', IssueRef)

const ArchivedIssue = IssueRef.extend({ archived_at: Timestamp })

/** Archiving an archived issue changes nothing. */
export const archiveIssue = mutation(
  'ArchiveIssue',
  { id: 'String!' },
  { issue_archive: field('issueArchive(id: $id)', z.object({ entity: ArchivedIssue })) },
)

const callerAsSubscriber = nodes('subscribers(first: 1, filter: { isMe: { eq: true } })', z.object({ id: Text }))
const Subscription = z.object({ issue: IssueRef.extend({ archived_at: Timestamp, subscribers: callerAsSubscriber }) })

export const subscribe = mutation('Subscribe', { id: 'String!' }, { done: field('issueSubscribe(id: $id)', Subscription) })
export const unsubscribe = mutation('Unsubscribe', { id: 'String!' }, { done: field('issueUnsubscribe(id: $id)', Subscription) })
