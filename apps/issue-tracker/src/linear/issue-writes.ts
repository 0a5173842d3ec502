import type { LinearDocument as Linear } from '@linear/sdk'
import { withDetails, Conflict, NotFound, ToolError } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { LinearClient } from './client.ts'
import { type Given, operation } from './operation.ts'
import { Issue, IssueRef } from './records.ts'

export const Attached = z.object({ id: z.string(), title: z.string(), url: z.string() })
export type Attached = z.output<typeof Attached>

const attached = 'attachment { id title url }'

export const newIssue = operation<{ input: Given<Linear.IssueCreateInput> }>()(
  'mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { ...Issue } } }',
  z.object({ issue_create: z.object({ issue: Issue }) }),
)

/** Linear carries these out one after the other, each for itself: the second can fail when the first is done. */
export const newIssueWithAttachment = operation<{ input: Given<Linear.IssueCreateInput>; attachment: Linear.AttachmentCreateInput }>()(
  `mutation CreateIssueWithAttachment($input: IssueCreateInput!, $attachment: AttachmentCreateInput!) {
    issueCreate(input: $input) { issue { ...Issue } }
    attachmentCreate(input: $attachment) { ${attached} }
  }`,
  z.object({ issue_create: z.object({ issue: Issue }), attachment_create: z.object({ attachment: Attached }) }),
)

export const attach = operation<{ attachment: Linear.AttachmentCreateInput }>()(
  `mutation AttachToIssue($attachment: AttachmentCreateInput!) { attachmentCreate(input: $attachment) { ${attached} } }`,
  z.object({ attachment_create: z.object({ attachment: Attached }) }),
)

/** An issue by an id that may not exist, and what is attached to it under one address. */
export const createdIssue = operation<{ filter: Linear.IssueFilter; url: string }>()(
  `query CreatedIssue($filter: IssueFilter!, $url: String!) {
    issues(first: 1, includeArchived: true, filter: $filter) { nodes { ...Issue attachments(first: 1, filter: { url: { eq: $url } }) { nodes { id title url } } } }
  }`,
  z.object({ issues: z.array(Issue.extend({ attachments: z.array(Attached) })) }),
)

export interface IssueToCreate {
  readonly input: Given<Linear.IssueCreateInput> & { readonly id: string }
  readonly attachment: { readonly url: string; readonly title: string } | undefined
}

export interface CreatedIssue {
  readonly issue: z.output<typeof Issue>
  readonly attachment: Attached | undefined
  /** Why the issue stands without its attachment. */
  readonly notAttached?: ToolError
  /** Whether an earlier attempt had created it already. */
  readonly earlier: boolean
}

/**
 * Creates an issue under its own id, and its attachment in the same request. However often it is sent and wherever it is cut off, there
 * is one issue and one attachment at the end. Throws when there is no issue.
 */
export async function createIssue(linear: LinearClient, { input, attachment }: IssueToCreate, signal: AbortSignal): Promise<CreatedIssue> {
  const wanted = attachment && { ...attachment, issueId: input.id }
  try {
    if (!wanted) {
      const { issue_create: created } = await linear.run(newIssue, { input }, signal)
      return { issue: created.issue, attachment: undefined, earlier: false }
    }
    const done = await linear.run(newIssueWithAttachment, { input, attachment: wanted }, signal)
    return { issue: done.issue_create.issue, attachment: done.attachment_create.attachment, earlier: false }
  } catch (error) {
    if (!(error instanceof ToolError) || error.retryable) throw error
    const found = await existing(linear, { id: input.id, url: attachment?.url ?? '' }, signal)
    if (!found) throw error
    const earlier = error instanceof Conflict
    const { attachments, ...issue } = found
    if (!wanted || attachments[0]) return { issue, attachment: attachments[0], earlier }
    // Refused in this attempt; or cut off in an earlier one, and then still to do.
    if (!earlier) return { issue, attachment: undefined, notAttached: error, earlier }
    const late = await attachLate(linear, wanted, signal)
    return { issue, earlier, ...late }
  }
}

async function existing(linear: LinearClient, { id, url }: { readonly id: string; readonly url: string }, signal: AbortSignal) {
  const { issues } = await linear.run(createdIssue, { filter: { id: { eq: id } }, url }, signal)
  return issues[0]
}

async function attachLate(
  linear: LinearClient,
  attachment: Linear.AttachmentCreateInput,
  signal: AbortSignal,
): Promise<Pick<CreatedIssue, 'attachment' | 'notAttached'>> {
  try {
    return { attachment: (await linear.run(attach, { attachment }, signal)).attachment_create.attachment }
  } catch (error) {
    if (!(error instanceof ToolError) || error.retryable) throw error
    return { attachment: undefined, notAttached: error }
  }
}

export const updateIssue = operation<{ id: string; input: Given<Linear.IssueUpdateInput> }>()(
  'mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { ...Issue } } }',
  z.object({ issue_update: z.object({ issue: Issue }) }),
)

/** The attachment goes first: an address that Linear refuses then leaves the issue as it was. */
export const updateIssueWithAttachment = operation<{
  id: string
  input: Given<Linear.IssueUpdateInput>
  attachment: Linear.AttachmentCreateInput
}>()(
  `mutation UpdateIssueWithAttachment($id: String!, $input: IssueUpdateInput!, $attachment: AttachmentCreateInput!) {
    attachmentCreate(input: $attachment) { ${attached} }
    issueUpdate(id: $id, input: $input) { issue { ...Issue } }
  }`,
  z.object({ issue_update: z.object({ issue: Issue }), attachment_create: z.object({ attachment: Attached }) }),
)

export const attachedTo = operation<{ id: string; url: string }>()(
  'query AttachedTo($id: String!, $url: String!) { issue(id: $id) { attachments(first: 1, filter: { url: { eq: $url } }) { nodes { id title url } } } }',
  z.object({ issue: z.object({ attachments: z.array(Attached) }) }),
)

export interface IssueToChange {
  readonly id: string
  readonly input: Given<Linear.IssueUpdateInput>
  readonly attachment: { readonly url: string; readonly title: string }
}

/** Changes an issue and attaches an address to it. The error says where the address is attached although the change was refused. */
export async function updateIssueAttaching(linear: LinearClient, { id, input, attachment }: IssueToChange, signal: AbortSignal) {
  try {
    const done = await linear.run(updateIssueWithAttachment, { id, input, attachment: { ...attachment, issueId: id } }, signal)
    return { ...done.issue_update, ...done.attachment_create }
  } catch (error) {
    if (!(error instanceof ToolError) || error.retryable || error instanceof NotFound) throw error
    const { issue } = await linear.run(attachedTo, { id, url: attachment.url }, signal)
    if (!issue.attachments[0]) throw error
    throw withDetails(error, `${error.message} The URL is attached to the issue all the same; nothing else was changed.`, error.details)
  }
}

const Archived = IssueRef.extend({ archived_at: z.string().nullish() })

/** Archiving what is archived changes nothing. */
export const archiveIssue = operation<{ id: string }>()(
  'mutation ArchiveIssue($id: String!) { issueArchive(id: $id) { entity { ...IssueRef archivedAt } } }',
  z.object({ issue_archive: z.object({ entity: Archived }) }),
)

const subscribed = 'issue { ...IssueRef subscribers(first: 1, filter: { isMe: { eq: true } }) { nodes { id } } }'
const Subscribed = z.object({ issue: IssueRef.extend({ subscribers: z.array(z.object({ id: z.string() })) }) })

export const subscribe = operation<{ id: string }>()(
  `mutation Subscribe($id: String!) { done: issueSubscribe(id: $id) { ${subscribed} } }`,
  z.object({ done: Subscribed }),
)

export const unsubscribe = operation<{ id: string }>()(
  `mutation Unsubscribe($id: String!) { done: issueUnsubscribe(id: $id) { ${subscribed} } }`,
  z.object({ done: Subscribed }),
)
