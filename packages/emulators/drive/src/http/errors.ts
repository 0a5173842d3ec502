import { toObject, type JsonObject } from '@mcp-toolkits/emulator'

/** Location of an error in the request. */
interface ErrorLocation {
  readonly location: string
  readonly locationType: 'parameter' | 'header' | 'other'
}

interface ErrorExtra {
  readonly place?: ErrorLocation
  /** Status name in Google's newer error format. */
  readonly name?: string
  /** Reason in Google's newer error format. */
  readonly info?: string
}

/** An error response from Drive: https://developers.google.com/workspace/drive/api/guides/handle-errors. */
export class DriveError extends Error {
  override name = 'DriveError'
  readonly status: number
  readonly reason: string
  readonly extra: ErrorExtra

  constructor({ status, reason, message, ...extra }: { status: number; reason: string; message: string } & ErrorExtra) {
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
  501: 'UNIMPLEMENTED',
}

/** The body of an error response; `newer` omits the list of errors. */
export function toErrorBody({ status, reason, message, extra }: DriveError, newer: boolean): JsonObject {
  const { place = {}, info = toScreamingSnakeCase(reason) } = extra
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
  return toObject({ error: { code: status, message, errors, ...both } })
}

const toScreamingSnakeCase = (reason: string) => reason.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const inParameter = (location: string): ErrorLocation => ({ location, locationType: 'parameter' })

export const fileNotFound = (id: string) =>
  new DriveError({ status: 404, reason: 'notFound', message: `File not found: ${id}.`, place: inParameter('fileId') })

export const driveNotFound = (id: string) =>
  new DriveError({ status: 404, reason: 'notFound', message: `Shared drive not found: ${id}`, place: inParameter('driveId') })

export const permissionNotFound = (id: string) =>
  new DriveError({ status: 404, reason: 'notFound', message: `Permission not found: ${id}.`, place: inParameter('permissionId') })

export const pathNotFound = () => new DriveError({ status: 404, reason: 'notFound', message: 'Not Found' })

/** A method in the vendor's API that the emulator lacks. */
export const notEmulated = (what: string) =>
  new DriveError({
    status: 501,
    reason: 'notImplemented',
    message: `Not emulated: ${what}. Google Drive has this method, but the emulator that answered does not. See https://github.com/mcp-toolkits/mcp-toolkits/blob/main/docs/emulators/drive.md`,
  })

/** A parameter with an invalid value. */
export const invalidValue = (name: string, message = 'Invalid Value') =>
  new DriveError({ status: 400, reason: 'invalid', message, place: inParameter(name) })

/** A malformed parameter. */
export const invalidParameter = (name: string, message: string) =>
  new DriveError({ status: 400, reason: 'invalidParameter', message, place: inParameter(name) })

export const required = (name: string, message: string) =>
  new DriveError({ status: 400, reason: 'required', message, place: inParameter(name) })

export const badRequest = (message: string) => new DriveError({ status: 400, reason: 'badRequest', message })

/** A body field with an invalid value. */
export const invalidField = (name: string, message: string) =>
  new DriveError({ status: 400, reason: 'invalid', message, place: { location: name, locationType: 'other' } })

export const parseError = () => new DriveError({ status: 400, reason: 'parseError', message: 'Parse Error' })

/** An action that is not allowed. */
export const forbidden = (reason: string, message: string, name?: string) =>
  new DriveError({ status: 403, reason, message, ...(name !== undefined && { place: inParameter(name) }) })

export const notAllowed = () => forbidden('insufficientFilePermissions', 'The user does not have sufficient permissions for this file.')

export const notGrantedToApp = (id: string) =>
  forbidden('appNotAuthorizedToFile', `The user has not granted the app write access to the file ${id}.`)

export const idInUse = () =>
  new DriveError({
    status: 409,
    reason: 'fileIdInUse',
    message: 'A file already exists with the provided ID.',
    place: { location: 'file.id', locationType: 'other' },
  })

export const badToken = () =>
  new DriveError({
    status: 401,
    reason: 'authError',
    message: 'Invalid Credentials',
    place: { location: 'Authorization', locationType: 'header' },
    info: 'ACCESS_TOKEN_EXPIRED',
  })

export const noToken = () =>
  new DriveError({
    status: 401,
    reason: 'required',
    message: 'Login Required.',
    place: { location: 'Authorization', locationType: 'header' },
    info: 'CREDENTIALS_MISSING',
  })

export const scopeMissing = () =>
  new DriveError({
    status: 403,
    reason: 'insufficientPermissions',
    message: 'Request had insufficient authentication scopes.',
    info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  })

/** A Drive error for use in a fault: `{ kind: 'status', ...driveError(403, 'userRateLimitExceeded') }`. */
export function driveError(status: number, reason: string, { message = reason, newer = false } = {}): { status: number; body: JsonObject } {
  return { status, body: toErrorBody(new DriveError({ status, reason, message }), newer) }
}
