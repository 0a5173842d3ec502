import type { LinearDocument as Linear } from '@linear/sdk'
import { Conflict, isArgumentError, ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import { CreatedButMissing, type LinearCall } from '../client.ts'
import { field, type InputOf, mutation, nodes, query, shared } from '../document.ts'
import { CycleRef, Issue, IssueRef, NamedRef, Text } from '../records.ts'
import { noData, SchemaMismatch } from '../errors.ts'
import { AttachmentRef, type NewAttachment } from './attachments.ts'
import { isFinal, type StoredIssue } from './issues.ts'

const Id = z.object({ id: Text })

/** An issue in a batch, as stored by Linear. Its labels are also read as ids, at a hundredth of the cost of reading the records. */
const BatchIssue = Issue.extend({
  description: Text.optional(),
  team: Id,
  delegate: NamedRef.optional(),
  cycle: CycleRef.extend({ id: Text }).optional(),
  parent: IssueRef.pick({ id: true, identifier: true }).optional(),
  label_ids: z.array(Text).default([]),
})

/** The issue, in the form that a single write returns. */
function stored({ label_ids: ids, ...issue }: z.output<typeof BatchIssue>): StoredIssue {
  return { ...issue, all_labels: ids.map((id) => ({ id })) }
}

/** Creates all issues or none. https://studio.apollographql.com/public/Linear-API/variant/current/schema/reference/objects/Mutation */
export const createIssues = mutation(
  'BatchCreateIssues',
  { input: 'IssueBatchCreateInput!' },
  { issue_batch_create: field('issueBatchCreate(input: $input)', z.object({ issues: z.array(BatchIssue) })) },
)

/** A batch's existing issues, with their attachments. */
export const createdIssues = query(
  'CreatedIssues',
  { filter: 'IssueFilter!', urls: 'AttachmentFilter!' },
  {
    issues: nodes(
      'issues(first: 50, includeArchived: true, filter: $filter)',
      BatchIssue.extend({ attachments: nodes('attachments(first: 3, filter: $urls)', AttachmentRef).default([]) }),
    ),
  },
)

type NewIssue = InputOf<Linear.IssueCreateInput> & { readonly id: string }

/** A new issue, or the error that prevented its creation. */
export type CreatedRow = RowOutcome<{ readonly issue: StoredIssue; readonly wasCreatedEarlier: boolean }>

/** Creates exactly one issue for each input, under its id, despite retries and interruptions. Throws if no issue was created. */
export async function createBatch(linear: LinearCall, inputs: readonly NewIssue[]): Promise<readonly CreatedRow[]> {
  try {
    const { issues } = (await linear.send(createIssues, { input: { issues: [...inputs] } })).issue_batch_create
    const byId = new Map(issues.map((issue) => [issue.id, stored(issue)]))
    if (inputs.every(({ id }) => byId.has(id))) return rowsOf(inputs, byId, false)
    // Linear reported success but omitted some issues.
    return await readBatch(linear, inputs, { error: new CreatedButMissing(), isFirst: false })
  } catch (error) {
    if (!isFinal(error)) throw error
    return readBatch(linear, inputs, { error, isFirst: true })
  }
}

/**
 * Reads a refused batch's issues: an earlier attempt may have created all of them, or some of them if Linear is less strict than
 * documented.
 */
async function readBatch(
  linear: LinearCall,
  inputs: readonly NewIssue[],
  { error, isFirst }: { readonly error: ToolError; readonly isFirst: boolean },
): Promise<readonly CreatedRow[]> {
  const found = await findCreated(
    linear,
    inputs.map(({ id }) => id),
    [],
  )
  const byId = new Map([...found].map(([id, { issue }]) => [id, issue]))
  const missing = inputs.filter(({ id }) => !byId.has(id))
  if (byId.size === 0) throw error instanceof Conflict ? new CreatedButMissing() : error
  if (missing.length === 0 || !isFirst) return rowsOf(inputs, byId, error instanceof Conflict, error)
  const rest = await createBatch(linear, missing).catch((failure: unknown) => {
    if (!isFinal(failure)) throw failure
    return missing.map(() => ({ error: failure }))
  })
  return inputs.map((input) => rest[missing.indexOf(input)] ?? rowsOf([input], byId, error instanceof Conflict, error)[0] ?? { error })
}

function rowsOf(
  inputs: readonly NewIssue[],
  byId: ReadonlyMap<string, StoredIssue>,
  wasCreatedEarlier: boolean,
  error: ToolError = new CreatedButMissing(),
): readonly CreatedRow[] {
  return inputs.map(({ id }) => {
    const issue = byId.get(id)
    return issue ? { result: { issue, wasCreatedEarlier } } : { error }
  })
}

async function findCreated(linear: LinearCall, ids: readonly string[], urls: readonly string[]) {
  const variables = { filter: { id: { in: [...ids] } }, urls: { url: { in: [...urls] } } }
  const { issues } = await linear.send(createdIssues, variables)
  return new Map(issues.map(({ attachments, ...issue }) => [issue.id, { issue: stored(issue), attachments }]))
}

function payloadOf<Payload>(answer: Readonly<Record<string, Payload>>, row: number): Payload {
  const { [`row_${row}`]: payload } = answer
  if (payload === undefined) throw noData()
  return payload
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

const ChangedIssue = shared('IssuePayload', z.object({ issue: BatchIssue }))

/** Changes several issues in order; Linear stops at the first change it refuses. */
export function changesOf(count: number) {
  return mutation(
    'BatchUpdateIssues',
    Object.fromEntries(numbers(count).flatMap((row) => [[`id${row}`, 'String!'] as const, [`input${row}`, 'IssueUpdateInput!'] as const])),
    Object.fromEntries(numbers(count).map((row) => [`row_${row}`, field(`issueUpdate(id: $id${row}, input: $input${row})`, ChangedIssue)])),
  )
}

/** Attaches several URLs in order. */
export function attachmentsOf(count: number) {
  return mutation(
    'BatchAttach',
    Object.fromEntries(numbers(count).map((row) => [`input${row}`, 'AttachmentCreateInput!'] as const)),
    Object.fromEntries(
      numbers(count).map((row) => [`row_${row}`, field(`attachmentCreate(input: $input${row})`, z.object({ attachment: AttachmentRef }))]),
    ),
  )
}

/** A row's outcome: its record or its error. */
export type RowOutcome<Result> = { readonly result: Result } | { readonly error: ToolError }

/**
 * Sends rows in one request, and if Linear refuses one, resends them in halves until the refused ones are isolated. Rows applied before a
 * refusal are sent twice, so each row must be idempotent.
 */
async function sendRows<Row, Result>(
  rows: readonly Row[],
  send: (rows: readonly Row[]) => Promise<readonly Result[]>,
  canConflict = false,
): Promise<readonly RowOutcome<Result>[]> {
  try {
    return rows.length === 0 ? [] : (await send(rows)).map((result) => ({ result }))
  } catch (error) {
    // An attachment can conflict, because we choose its id; a change has no such id.
    const isOfRow = isArgumentError(error) || (error instanceof Conflict && canConflict)
    if (!isOfRow) throw error
    if (rows.length === 1) return [{ error }]
    const middle = Math.ceil(rows.length / 2)
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)]
    // The refused request may have changed rows in either half, and a later error must not hide that.
    const sendPart = async (part: readonly Row[]) => sendRows(part, send, canConflict).catch((later: unknown) => failEach(part, later))
    return [...(await sendPart(first)), ...(await sendPart(second))]
  }
}

/** Returns the same error for each row. Rethrows an untyped error. */
function failEach(rows: readonly unknown[], error: unknown): { readonly error: ToolError }[] {
  if (!(error instanceof ToolError)) throw error
  return rows.map(() => ({ error }))
}

interface Change {
  readonly id: string
  readonly input: InputOf<Linear.IssueUpdateInput>
}

/** A changed issue; or the error, along with the issue's current state if it can be read. */
export type ChangedRow = RowOutcome<StoredIssue> & { readonly found?: StoredIssue | undefined }

/** Changes each of several issues. A refused request may have changed some of them, so issues with an unknown outcome are read. */
export async function updateBatch(linear: LinearCall, changes: readonly Change[]): Promise<readonly ChangedRow[]> {
  const outcomes = await sendRows(changes, async (rows) => {
    const variables = Object.fromEntries(
      rows.flatMap(({ id, input }, row): [string, string | Change['input']][] => [
        [`id${row}`, id],
        [`input${row}`, input],
      ]),
    )
    const answer = await linear.send(changesOf(rows.length), variables)
    return rows.map((_, row) => stored(payloadOf(answer, row).issue))
  }).catch((error: unknown) => {
    // These errors do not concern a row, so there is no row to check.
    if (!isFinal(error) || error instanceof Unauthenticated || error instanceof SchemaMismatch) throw error
    return failEach(changes, error)
  })
  const failed = changes.filter((_, row) => outcomes[row] && 'error' in outcomes[row])
  if (failed.length === 0) return outcomes
  const ids = failed.map(({ id }) => id)
  const found = await findCreated(linear, ids, []).catch(nothingFound)
  return outcomes.map((outcome, row) => ('error' in outcome ? { ...outcome, found: found.get(changes[row]?.id ?? '')?.issue } : outcome))
}

function nothingFound(error: unknown): Awaited<ReturnType<typeof findCreated>> {
  if (!(error instanceof ToolError)) throw error
  return new Map()
}

interface NewPage extends NewAttachment {
  readonly id?: string
  readonly issueId: string
}

/**
 * Attaches a URL to each of several issues. The issues are already written, so no error ends the call. After an error that is not about a
 * single URL, the issues show which URLs are attached, by this attempt or by an earlier one under the same ids.
 */
export async function attachBatch(linear: LinearCall, pages: readonly NewPage[]): Promise<readonly RowOutcome<AttachmentRef>[]> {
  const send = async (rows: readonly NewPage[]) => {
    const variables = Object.fromEntries(rows.map((page, row) => [`input${row}`, page]))
    const answer = await linear.send(attachmentsOf(rows.length), variables)
    return rows.map((_, row) => payloadOf(answer, row).attachment)
  }
  const outcomes = await sendRows(pages, send, true).catch((error: unknown) => failEach(pages, error))
  const isOpen = outcomes.map((outcome) => 'error' in outcome && !isArgumentError(outcome.error))
  if (!isOpen.includes(true)) return outcomes
  const present = await pagesOn(linear, pages)
  return outcomes.map((outcome, row) => {
    const found = isOpen[row] === true ? present[row] : undefined
    // After a lost response, a failed search cannot show whether the URL is attached.
    const isLost = 'error' in outcome && outcome.error.retryable
    return found && ('result' in found || !isLost) ? found : outcome
  })
}

/** For each URL, the attachment that its issue already has, or the lookup's error. */
export async function pagesOn(
  linear: LinearCall,
  pages: readonly Pick<NewPage, 'issueId' | 'url'>[],
): Promise<readonly (RowOutcome<AttachmentRef> | undefined)[]> {
  if (pages.length === 0) return []
  const ids = pages.map(({ issueId }) => issueId)
  const urls = pages.map(({ url }) => url)
  try {
    const found = await findCreated(linear, ids, urls)
    return pages.map(({ issueId, url }) => {
      const result = found.get(issueId)?.attachments.find((each) => each.url === url)
      return result && { result }
    })
  } catch (error) {
    return failEach(pages, error)
  }
}
