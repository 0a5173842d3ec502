import { type JsonObject } from '@mcp-toolkits/emulator'

/** An error in Linear's responses. */
export class LinearError extends Error {
  override name = 'LinearError'
  readonly extensions: JsonObject
  /** The HTTP status of a response without data. */
  readonly status: number

  constructor(message: string, extensions: JsonObject, status = 200) {
    super(message)
    this.extensions = extensions
    this.status = status
  }
}

/** Parts that errors of one kind share. */
interface ErrorKind {
  readonly type: string
  readonly code: string
  readonly statusCode: number
}

/** An error with a message for people. */
const userError = (message: string, kind: ErrorKind, userPresentableMessage: string, status?: number) =>
  new LinearError(message, { ...kind, userError: true, userPresentableMessage }, status)

const invalidInput = { type: 'invalid input', code: 'INPUT_ERROR', statusCode: 400 }
const forbiddenKind = { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 }

/** One of Linear's queries or mutations for which the emulator has no behaviour. */
export function notEmulated(kind: 'Query' | 'Mutation', field: string): LinearError {
  const message = `Not emulated: the ${kind.toLowerCase()} "${field}". Linear has it, but the emulator that answered does not. See https://github.com/mcp-toolkits/mcp-toolkits/blob/main/docs/emulators/linear.md`
  return userError(message, { type: 'feature not accessible', code: 'NOT_EMULATED', statusCode: 501 }, message)
}

/** A malformed argument, or one that refers to an unsuitable entity. */
export const badArgument = (why: string) => userError('Argument Validation Error', { ...invalidInput, code: 'INVALID_INPUT' }, why)

export const notFound = (type: string) => userError(`Entity not found: ${type}`, invalidInput, `Could not find referenced ${type}.`)

export const conflict = (type: string, id: string) =>
  userError(`conflict on insert of ${type}`, invalidInput, `Entity ${type} with id ${id} already exists.`)

export const conflictingLabels = (label: string, other: string) =>
  userError(
    'labelIds not exclusive child labels',
    invalidInput,
    `The label '${label}' is in the same group as '${other}'. Only one label in a group can be applied to an issue.`,
  )

export const duplicateAttachment = () =>
  userError('Duplicate attachment for duplicate url', invalidInput, 'An attachment with the same URL already exists.')

const unauthenticated = { type: 'authentication error', code: 'AUTHENTICATION_ERROR', statusCode: 401, http: { status: 401 } }

export const notAuthenticated = () =>
  userError('Authentication required, not authenticated', unauthenticated, 'You need to authenticate to access this operation.', 401)

export const rateLimited = (limit: number, what: string) =>
  userError(
    `Rate limit exceeded. Only ${limit} ${what} are allowed per 1 hour`,
    { type: 'ratelimited', code: 'RATELIMITED', statusCode: 429 },
    'Rate limit exceeded.',
    400,
  )

export const tooComplex = (complexity: number, maximum: number) =>
  userError(
    'Query too complex',
    invalidInput,
    `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${maximum}.`,
    400,
  )

export const missingScope = (scope: string) =>
  userError(`Invalid scope: \`${scope}\` required`, forbiddenKind, `Invalid scope: \`${scope}\` required`, 400)

export const forbidden = (why: string) => userError('Forbidden', forbiddenKind, why)

/** A server failure between two mutations in one document. */
export class Interruption extends Error {
  override name = 'Interruption'
}

/** A document that is not valid GraphQL. */
export const badDocument = (message: string, code: string) =>
  new LinearError(message, { type: 'graphql error', code, statusCode: 400, userError: true, http: { status: 400 } }, 400)
