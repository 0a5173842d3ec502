import { toObject, type JsonObject } from '@mcp-toolkits/emulator'

/** Location of an error in the request. */
interface ErrorLocation {
  readonly location: string
  readonly locationType: 'parameter' | 'header' | 'other'
}

interface ErrorExtra {
  readonly place?: ErrorLocation
  /** Reason in Google's newer error format. */
  readonly info?: string
}

/** An error response from Drive: https://developers.google.com/workspace/drive/api/guides/handle-errors. */
export class DriveError extends Error {
  override name = 'DriveError'
  readonly status: number
  readonly reason: string
  readonly extra: ErrorExtra

  constructor(status: number, reason: string, message: string, extra: ErrorExtra = {}) {
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
  const name = statusNames[status] ?? 'UNKNOWN'
  if (newer) return { error: { code: status, message, status: name, details } }
  const both = extra.info === undefined ? {} : { status: name, details }
  return toObject({ error: { code: status, message, errors, ...both } })
}

const toScreamingSnakeCase = (reason: string) => reason.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const inParameter = (location?: string): ErrorExtra => (location === undefined ? {} : { place: { location, locationType: 'parameter' } })
const inField = (location: string): ErrorExtra => ({ place: { location, locationType: 'other' } })

/** The error for something that does not exist; `parameter` is the request parameter that refers to it. */
export const notFound = (message: string, parameter?: string) => new DriveError(404, 'notFound', message, inParameter(parameter))
export const fileNotFound = (id: string) => notFound(`File not found: ${id}.`, 'fileId')
export const driveNotFound = (id: string) => notFound(`Shared drive not found: ${id}`, 'driveId')
export const pathNotFound = () => notFound('Not Found')

/** A method in the vendor's API that the emulator lacks. */
export function notEmulated(what: string): DriveError {
  const page = 'https://github.com/mcp-toolkits/mcp-toolkits/blob/main/docs/emulators/drive.md'
  const message = `Not emulated: ${what}. Google Drive has this method, but the emulator that answered does not. See ${page}`
  return new DriveError(501, 'notImplemented', message)
}

/** A parameter with an invalid value. */
export const invalidValue = (name: string, message = 'Invalid Value') => new DriveError(400, 'invalid', message, inParameter(name))

/** A malformed parameter. */
export const invalidParameter = (name: string, message: string) => new DriveError(400, 'invalidParameter', message, inParameter(name))

export const required = (name: string, message: string) => new DriveError(400, 'required', message, inParameter(name))

export const badRequest = (message: string) => new DriveError(400, 'badRequest', message)

/** A body field with an invalid value. */
export const invalidField = (name: string, message: string) => new DriveError(400, 'invalid', message, inField(name))

export const parseError = () => new DriveError(400, 'parseError', 'Parse Error')

/** An action that is not allowed. */
export const forbidden = (reason: string, message: string, name?: string) => new DriveError(403, reason, message, inParameter(name))

export const notAllowed = () => forbidden('insufficientFilePermissions', 'The user does not have sufficient permissions for this file.')

export const notGrantedToApp = (id: string) =>
  forbidden('appNotAuthorizedToFile', `The user has not granted the app write access to the file ${id}.`)

export const idInUse = () => new DriveError(409, 'fileIdInUse', 'A file already exists with the provided ID.', inField('file.id'))

const authorization: ErrorLocation = { location: 'Authorization', locationType: 'header' }

export const badToken = () =>
  new DriveError(401, 'authError', 'Invalid Credentials', { place: authorization, info: 'ACCESS_TOKEN_EXPIRED' })

export const noToken = () => new DriveError(401, 'required', 'Login Required.', { place: authorization, info: 'CREDENTIALS_MISSING' })

export const scopeMissing = () =>
  new DriveError(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {
    info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  })

/** A Drive error for use in a fault: `{ kind: 'status', ...driveError(403, 'userRateLimitExceeded') }`. */
export function driveError(status: number, reason: string, { message = reason, newer = false } = {}): { status: number; body: JsonObject } {
  return { status, body: toErrorBody(new DriveError(status, reason, message), newer) }
}
