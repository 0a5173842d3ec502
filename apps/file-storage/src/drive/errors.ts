import {
  Conflict,
  withDetails,
  type ErrorDetails,
  Forbidden,
  InvalidInput,
  type NextStep,
  NotFound,
  RateLimited,
  TooLarge,
  type ToolError,
  Unauthenticated,
  Unavailable,
} from '@mcp-toolkits/core'
import { parseJson } from '@mcp-toolkits/core/json'
import { Message, sentence } from '@mcp-toolkits/core/message'
import type { CompleteResponse } from '@mcp-toolkits/core/response'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import { quote, quoteVendor } from '@mcp-toolkits/core/text'
import { transientStatuses } from '@mcp-toolkits/core/transport'
import type { Hold } from '@mcp-toolkits/core/upstream-limits'
import * as z from 'zod'

/** This person or app has no access to the item, or to Drive at all. */
export class ForbiddenToUser extends Forbidden {}

/** The access token lacks a scope. */
export class MissingScope extends ForbiddenToUser {}

/** A rule of the organization, which choosing files in the picker does not lift. */
export class ForbiddenByPolicy extends Forbidden {}

/** Drive cannot share with this address. */
export class UnsuitableAddress extends InvalidInput {}

/** The response says that the request was not carried out. After 502 and 504, a gateway knows no more of the outcome than we do. */
export class ReportedFailure extends Unavailable {}

/** An item has, or had, the id that the new file was to get. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
export class IdTaken extends Conflict {}

/** Both forms in which Google says why: `errors[].reason`, and `details[].reason` in capitals. */
const ErrorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
})

/** Why Drive refused, in lower case without underscores: `ratelimitexceeded`. */
export function errorReasons(body: unknown): string[] {
  const { success, data } = ErrorBody.safeParse(body)
  if (!success) return []
  const { errors = [], details = [] } = data.error
  return [...errors, ...details].flatMap(({ reason }) => (reason === undefined ? [] : [reason.toLowerCase().replaceAll('_', '')]))
}

/** What Drive says, as a quotation; empty when it says nothing. */
function errorSentence(body: unknown): string {
  const { data } = ErrorBody.safeParse(body)
  return quoteVendor('Google Drive', (data?.error.message ?? '').replace(/<[^<>]*>/g, ''))
}

/** The quota for sharing, which does not count other requests. */
export class SharingRateLimited extends RateLimited {}

/** A quota that is full again at the end of the day. */
export class DailyQuotaExceeded extends RateLimited {}

/** A file was downloaded too often. */
export class DownloadQuotaExceeded extends RateLimited {}

const statusCommand: NextStep = { command: 'file-storage-mcp status' }

/** The error for a reason, regardless of the status. https://developers.google.com/workspace/drive/api/guides/handle-errors */
const errorsByReason: Readonly<Record<string, (detail: string) => ToolError>> = {
  autherror: unauthenticated,
  insufficientpermissions: missingScope,
  insufficientauthenticationscopes: missingScope,
  accesstokenscopeinsufficient: missingScope,
  accessnotconfigured: apiDisabled,
  servicedisabled: apiDisabled,
  insufficientfilepermissions: (detail) => new ForbiddenToUser(`Google Drive does not allow this on this item. ${detail}`),
  appnotauthorizedtofile: (detail) => new ForbiddenToUser(`This app was not given access to the item. ${detail}`),
  domainpolicy: (detail) => new ForbiddenByPolicy(`The administrator of the organization does not allow this. ${detail}`),
  parentnotafolder: (detail) => new InvalidInput(`The parent is not a folder. ${detail}`),
  notfound: notFound,
  dailylimitexceeded: (detail) => new DailyQuotaExceeded(`A quota at Google Drive is used up for today. ${detail}`.trim()),
  quotaexceeded: (detail) => new DailyQuotaExceeded(`A quota at Google Drive is used up for today. ${detail}`.trim()),
  storagequotaexceeded: (detail) => new Conflict(`The storage is full. ${detail}`),
  downloadquotaexceeded: (detail) =>
    new DownloadQuotaExceeded(`This file was downloaded too often; its quota resets after a day. ${detail}`.trim(), { retryable: false }),
  teamdrivefilelimitexceeded: (detail) => new Conflict(`The shared drive has reached its limit of items. ${detail}`),
  numchildreninnonrootlimitexceeded: (detail) => new Conflict(`The folder has reached its limit of items. ${detail}`),
  teamdrivesfoldermoveinnotsupported: (detail) => new InvalidInput(`A folder cannot be moved into a shared drive. ${detail}`),
  invalidsharingrequest: (detail) => new UnsuitableAddress(`Google Drive cannot share with this address. ${detail}`),
  shareoutnotpermittedforcontent: (detail) => new ForbiddenByPolicy(`The content may not be shared outside. ${detail}`),
  conflict: (detail) => new Conflict(`This conflicts with the current state in Google Drive. ${detail}`.trim()),
  fileidinuse: (detail) => new Conflict(`The id is in use already. ${detail}`.trim()),
}

type Refusal = Pick<CompleteResponse, 'status' | 'headers' | 'text'>

/** The typed error for a refusal; the reason takes precedence over the status. */
export function errorFrom(response: Refusal): ToolError {
  const body = parseJson(response.text)
  const reasons = errorReasons(body)
  const detail = errorSentence(body)
  const slowDown = `Google Drive asks to slow down. ${detail}`.trim()
  if (reasons.includes('sharingratelimitexceeded')) return new SharingRateLimited(slowDown, retryAfter(response))
  // These are over within minutes: nothing was begun, and a retry helps.
  const isRateLimit = reasons.includes('ratelimitexceeded') || reasons.includes('userratelimitexceeded')
  if (isRateLimit) return new RateLimited(slowDown, retryAfter(response))
  for (const reason of reasons) {
    const createError = Object.hasOwn(errorsByReason, reason) ? errorsByReason[reason] : undefined
    if (createError) return createError(detail)
  }
  return response.status === 429 ? new RateLimited(slowDown, retryAfter(response)) : errorByStatus(response, detail)
}

function errorByStatus(response: Refusal, detail: string): ToolError {
  const { status } = response
  if (status >= 300 && status < 400) {
    // A redirect would take the token along or lose the request.
    const message = `Google Drive answered with a redirect (HTTP ${status}), which was not followed.`
    return new ReportedFailure(message, { retryable: false, next: statusCommand })
  }
  switch (status) {
    case 400:
      return new InvalidInput(`Google Drive refused the request. ${detail}`.trim())
    case 401:
      return unauthenticated(detail)
    case 403:
      return new Forbidden(`Google Drive does not allow this. ${detail}`.trim())
    case 404:
    case 410:
      return notFound(detail)
    case 409:
      return new Conflict(`This conflicts with the current state in Google Drive. ${detail}`.trim())
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

/** The typed error in a response to an upload or a change of an uploaded file. */
export function uploadErrorFrom(response: Refusal): ToolError {
  const error = errorFrom(response)
  return response.status === 409 && isIdTaken(parseJson(response.text)) ? new IdTaken(error.message) : withPickerIfNotFound(error)
}

/** Whether a conflict is about the id. */
function isIdTaken(body: unknown): boolean {
  return errorReasons(body).includes('fileidinuse') || /already exists with the provided id/i.test(errorSentence(body))
}

/** The error for a response that came from a proxy or a sign-in page. */
export function notDriveResponse(status: number): Unavailable {
  return new Unavailable(
    `HTTP ${status} came with something other than JSON, so it was not Google Drive that answered (a proxy or sign-in page?).`,
  )
}

export function unknownDrive(driveId: string, details: ErrorDetails): NotFound {
  const listed = sentence`${{ tool: 'FileStorage.WhoAmI' }} lists those that are.`
  return new NotFound(Message.of(`No shared drive with the id ${quote(driveId)} is visible.`, listed), details)
}

/** The tool that lets the person choose files and so grant access to them. */
const filePicker = 'FileStorage.GenerateFilePickerUrl'
const filePickerSentence = sentence`If it exists but this app may not use it, ${{ tool: filePicker }} lets the person choose it.`

/** Makes the file picker the next step of an error about an item that is missing or not permitted, unless it has a better one. */
export function withFilePicker(error: ToolError): ToolError {
  if (error.details.next !== undefined || error instanceof ForbiddenByPolicy) return error
  const details = { ...error.details, next: { tool: filePicker } }
  if (error instanceof NotFound) return new NotFound(error.text, details)
  if (error instanceof ForbiddenToUser) return new ForbiddenToUser(error.text, details)
  return error instanceof Forbidden ? new Forbidden(error.text, details) : error
}

/** The same for the caller: the text names the file picker too, also where a corrected call is the next step. */
export function withFilePickerHint(error: ToolError): ToolError {
  const hinted = withFilePicker(error)
  const { next } = hinted.details
  const isAboutItem = hinted instanceof NotFound || hinted instanceof Forbidden
  if (!isAboutItem || (next?.tool !== filePicker && next?.change === undefined)) return hinted
  return withDetails(hinted, hinted.text.and(filePickerSentence), hinted.details)
}

export function withPickerIfNotFound(error: ToolError): ToolError {
  return error instanceof NotFound ? withFilePicker(error) : error
}

function notFound(detail: string): NotFound {
  return new NotFound(`Google Drive has no such item, or this app has no access to it. ${detail}`.trim())
}

function unauthenticated(detail: string): Unauthenticated {
  return new Unauthenticated(`Google refused the access token: it is expired, revoked or wrong. ${detail}`.trim(), { next: statusCommand })
}

function missingScope(detail: string): Forbidden {
  return new MissingScope(`The access token lacks a scope that this needs. ${detail}`.trim(), { next: statusCommand })
}

function apiDisabled(detail: string): Forbidden {
  return new ForbiddenToUser(`The Google Cloud project has not enabled the Drive API. ${detail}`, { next: statusCommand })
}

/** Zero says that a retry may follow at once. */
function retryAfter(response: Refusal): ErrorDetails {
  const ms = retryAfterMs(response)
  return ms === undefined ? {} : { retryAfterSeconds: Math.ceil(ms / 1000) }
}

/**
 * How long Drive wants no requests after an error. Most limits are those of the account; sharing has a separate one, and a file that was
 * downloaded too often concerns no other. https://developers.google.com/workspace/drive/api/guides/handle-errors
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

/** Milliseconds until Google's daily quotas are full again, at midnight Pacific Time. https://support.google.com/googleapi/answer/7035610 */
function untilMidnight(now: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = pacificTime.format(now).split(':').map(Number)
  return dayMs - ((hours * 60 + minutes) * 60 + seconds) * 1000
}
