import { fieldsOf, type Fields } from './values.ts'

/** Where in a request the fault lies, as the vendor names it. */
interface Place {
  readonly location: string
  readonly locationType: 'parameter' | 'header' | 'other'
}

/** What a refusal says besides its status, its reason and its message. */
interface Extra {
  readonly place?: Place
  /** The name of the status in Google's newer errors. */
  readonly name?: string
  /** The reason as Google's newer errors spell it. */
  readonly info?: string
}

/** A request that Drive refuses: https://developers.google.com/workspace/drive/api/guides/handle-errors. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly status: number
  readonly reason: string
  readonly extra: Extra

  constructor({ status, reason, message, ...extra }: { status: number; reason: string; message: string } & Extra) {
    super(message)
    this.status = status
    this.reason = reason
    this.extra = extra
  }
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  429: 'RESOURCE_EXHAUSTED',
}

/** The body of an answer that refuses; `newer` has no list of errors, only Google's ErrorInfo. */
export function envelope({ status, reason, message, extra }: Refusal, newer: boolean): Fields {
  const { place = {}, info = screaming(reason) } = extra
  const errors = [{ message, domain: 'global', reason, ...place }]
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: info,
      domain: 'googleapis.com',
      metadata: { service: 'drive.googleapis.com' },
    },
  ]
  const name = extra.name ?? statusNames[status] ?? 'UNKNOWN'
  if (newer) return { error: { code: status, message, status: name, details } }
  const both = extra.info === undefined ? {} : { status: name, details }
  return fieldsOf({ error: { code: status, message, errors, ...both } })
}

const screaming = (reason: string) => reason.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const parameter = (location: string): Place => ({ location, locationType: 'parameter' })

export const fileNotFound = (id: string) =>
  new Refusal({ status: 404, reason: 'notFound', message: `File not found: ${id}.`, place: parameter('fileId') })

export const driveNotFound = (id: string) =>
  new Refusal({ status: 404, reason: 'notFound', message: `Shared drive not found: ${id}`, place: parameter('driveId') })

export const permissionNotFound = (id: string) =>
  new Refusal({ status: 404, reason: 'notFound', message: `Permission not found: ${id}.`, place: parameter('permissionId') })

export const pathNotFound = () => new Refusal({ status: 404, reason: 'notFound', message: 'Not Found' })

/** A parameter that says something impossible. */
export const invalid = (name: string, message = 'Invalid Value') =>
  new Refusal({ status: 400, reason: 'invalid', message, place: parameter(name) })

/** A parameter that has a wrong form. */
export const invalidParameter = (name: string, message: string) =>
  new Refusal({ status: 400, reason: 'invalidParameter', message, place: parameter(name) })

export const required = (name: string, message: string) => new Refusal({ status: 400, reason: 'required', message, place: parameter(name) })

export const badRequest = (message: string) => new Refusal({ status: 400, reason: 'badRequest', message })

/** A field of the body that says something impossible. */
export const invalidField = (name: string, message: string) =>
  new Refusal({ status: 400, reason: 'invalid', message, place: { location: name, locationType: 'other' } })

export const parseError = () => new Refusal({ status: 400, reason: 'parseError', message: 'Parse Error' })

/** What the caller may not do, or what cannot be done to such an item. */
export const forbidden = (reason: string, message: string, name?: string) =>
  new Refusal({ status: 403, reason, message, ...(name !== undefined && { place: parameter(name) }) })

export const notAllowed = () => forbidden('insufficientFilePermissions', 'The user does not have sufficient permissions for this file.')

export const notGrantedToApp = (id: string) =>
  forbidden('appNotAuthorizedToFile', `The user has not granted the app write access to the file ${id}.`)

export const idInUse = () =>
  new Refusal({
    status: 409,
    reason: 'fileIdInUse',
    message: 'A file already exists with the provided ID.',
    place: { location: 'file.id', locationType: 'other' },
  })

export const badToken = () =>
  new Refusal({
    status: 401,
    reason: 'authError',
    message: 'Invalid Credentials',
    place: { location: 'Authorization', locationType: 'header' },
    info: 'ACCESS_TOKEN_EXPIRED',
  })

export const noToken = () =>
  new Refusal({
    status: 401,
    reason: 'required',
    message: 'Login Required.',
    place: { location: 'Authorization', locationType: 'header' },
    info: 'CREDENTIALS_MISSING',
  })

export const scopeMissing = () =>
  new Refusal({
    status: 403,
    reason: 'insufficientPermissions',
    message: 'Request had insufficient authentication scopes.',
    info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  })

/** What Drive answers when it refuses, for a fault that is to look like Drive: `{ kind: 'status', ...driveError(403, 'userRateLimitExceeded') }`. */
export function driveError(status: number, reason: string, { message = reason, newer = false } = {}): { status: number; body: Fields } {
  return { status, body: envelope(new Refusal({ status, reason, message }), newer) }
}
