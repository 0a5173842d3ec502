import { isObject, parseJson } from '@mcp-toolkits/core/base'
import {
  Conflict,
  type ErrorDetails,
  Forbidden,
  Message,
  NotFound,
  quote,
  quoteVendor,
  RateLimited,
  sentence,
  TooLarge,
  type ToolError,
  Unavailable,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { type CompleteResponse, type Hold, retryAfterMs, transientStatuses } from '@mcp-toolkits/core/upstream'
import { DailyQuotaExceeded, DownloadQuotaExceeded, errorForReason, filePicker, SharingRateLimited, statusCommand } from './reasons.ts'

/** Error for an item whose folder is not visible to this app. */
export class UnseenFolder extends Forbidden {}

/**
 * Error for a response saying that the request was not processed. Excludes 502 and 504, because a gateway does not know the outcome either.
 */
export class ReportedFailure extends Unavailable {}

/** Error for an id that an item already has, or had. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
export class IdTaken extends Conflict {}

/** All strings in members with the given name, alone or in a list, at any depth of Google's response. */
function textsOf(value: unknown, name: string, depth = 0): string[] {
  if (depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((each) => textsOf(each, name, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === name && [each].flat().every((text) => typeof text === 'string')
      ? [each].flat().filter((text) => typeof text === 'string')
      : textsOf(each, name, depth + 1),
  )
}
const maxDepth = 8

/**
 * Drive's reasons for a refusal, in lower case without underscores: `ratelimitexceeded`. Google sends them in `errors[]`, or in `details[]`
 * in capitals.
 */
export function errorReasons(body: unknown): string[] {
  return textsOf(body, 'reason').map((reason) => reason.toLowerCase().replaceAll('_', ''))
}

/** Drive's message, quoted; empty if there is none or if it is a web page. */
function errorSentence(text: string): string {
  const body = parseJson(text)
  const members = ['message', 'error_description', 'error', 'errors'].flatMap((name) => textsOf(body, name))
  const plain = body === undefined && !/^\s*</.test(text) ? text : ''
  return quoteVendor('Google Drive', (members[0] ?? (typeof body === 'string' ? body : plain)).replace(/<[^<>]*>/g, ''))
}

type Refusal = Pick<CompleteResponse, 'status' | 'headers' | 'text'>

/** Reasons implied by statuses, if Google gives no known reason. */
const reasonByStatus: Readonly<Record<number, string>> = {
  400: 'badrequest',
  401: 'autherror',
  404: 'notfound',
  409: 'conflict',
  410: 'notfound',
  416: 'badrequest',
  429: 'ratelimitexceeded',
}

/** The typed error for a refusal; the reason takes precedence over the status. */
export function errorFrom(response: Refusal): ToolError {
  const detail = errorSentence(response.text)
  const reasons = [...errorReasons(parseJson(response.text)), reasonByStatus[response.status] ?? '']
  return errorForReason(reasons, detail, retryAfter(response)) ?? errorByStatus(response, detail)
}

function errorByStatus(response: Refusal, detail: string): ToolError {
  const { status } = response
  if (status >= 300 && status < 400) {
    // Following a redirect would leak the token or lose the request.
    const message = `Google Drive answered with a redirect (HTTP ${status}), which was not followed.`
    return new ReportedFailure(message, { retryable: false, next: statusCommand })
  }
  switch (status) {
    case 403:
      return new Forbidden(`Google Drive does not allow this. ${detail}`.trim())
    case 413:
      return new TooLarge(`The request is too large for Google Drive. ${detail}`.trim())
    case 500:
    case 501:
    case 503:
      return new ReportedFailure(`Google Drive answered HTTP ${status}. ${detail}`.trim(), {
        ...retryAfter(response),
        retryable: status !== 501,
      })
    default:
      return new Unavailable(`Google Drive answered HTTP ${status}. ${detail}`.trim(), {
        ...retryAfter(response),
        retryable: transientStatuses.includes(status),
      })
  }
}

/** The typed error for a refused upload, or a refused change to an uploaded file. */
export function uploadErrorFrom(response: Refusal): ToolError {
  const error = errorFrom(response)
  return response.status === 409 && isIdTaken(response.text) ? new IdTaken(error.message) : error
}

/** True for a conflict over the item's id. */
function isIdTaken(text: string): boolean {
  return errorReasons(parseJson(text)).includes('fileidinuse') || /already exists with the provided id/i.test(errorSentence(text))
}

/** Error for a response from a proxy or a sign-in page. */
export function notDriveResponse(status: number): Unavailable {
  return new Unavailable(
    `The HTTP ${status} response is not JSON, so it is not from Google Drive, but perhaps from a proxy or a sign-in page.`,
  )
}

/** The tool that lists the shared drives. */
const listingTool = 'FileStorage.WhoAmI'

export function unknownDrive(driveId: string, details: ErrorDetails): NotFound {
  const listed = sentence`${{ tool: listingTool }} lists those that are.`
  return withListedDrives(new NotFound(Message.of(`No shared drive with the id ${quote(driveId)} is visible.`, listed), details))
}

/** Makes listing the shared drives the next step of an error about a missing drive, unless it already has a next step. */
export function withListedDrives({ text, details }: NotFound): NotFound {
  return new NotFound(text, { ...details, next: details.next ?? { tool: listingTool } })
}

const filePickerSentence = sentence`If it exists but this app may not use it, ${{ tool: filePicker }} lets the person choose it.`

/**
 * Mentions the file picker in an error about an item that may exist but be hidden, and makes the picker the next step if there is no better
 * one. The picker does not help with an item refused for any other reason.
 */
export function withFilePicker(error: ToolError, mayBeUnseen: boolean): ToolError {
  const { next: given, suggestions = [] } = error.details
  // A folder that may exist but be hidden must not be created again.
  const next = given === undefined || (mayBeUnseen && given.tool === 'FileStorage.CreateFolder') ? { tool: filePicker } : given
  // An item found by name is visible.
  const isSeen = suggestions.some(({ confidence }) => confidence === 1)
  const isAboutItem =
    (error instanceof NotFound || error instanceof UnseenFolder) && (next.tool === filePicker || next.change !== undefined)
  const isAdvised = error.details.next?.tool === filePicker
  if (!isAdvised && !(isAboutItem && mayBeUnseen && !isSeen)) return error
  return withDetails(error, error.text.and(filePickerSentence), { ...error.details, next })
}

/** The wait before a retry; zero means at once. */
function retryAfter(response: Refusal): ErrorDetails {
  const ms = retryAfterMs(response)
  return ms === undefined ? {} : { retryAfterSeconds: Math.ceil(ms / 1000) }
}

/**
 * Holds requested by a Drive error. Most limits apply to the account; sharing has its own limit, and the limit on a file's downloads
 * concerns only that file. https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function holdsIn(error: ToolError | undefined, now: number): readonly Hold[] {
  if (!(error instanceof RateLimited) || error instanceof DownloadQuotaExceeded) return []
  const { retryAfterSeconds } = error.details
  const askedMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  if (error instanceof DailyQuotaExceeded) return [{ covers: 'account', ms: askedMs ?? untilMidnight(now) }]
  return [{ covers: error instanceof SharingRateLimited ? 'operation' : 'account', ms: askedMs }]
}

const dayMs = 24 * 60 * 60_000
const pacificTime = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', hourCycle: 'h23', timeStyle: 'medium' })

/** Milliseconds until Google's daily quotas reset, at midnight Pacific Time. https://support.google.com/googleapi/answer/7035610 */
function untilMidnight(now: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = pacificTime.format(now).split(':').map(Number)
  return dayMs - ((hours * 60 + minutes) * 60 + seconds) * 1000
}
