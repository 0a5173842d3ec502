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

const invalidInput = { type: 'invalid input', code: 'INPUT_ERROR', statusCode: 400, userError: true }

/** An input error with a message for people. */
const inputError = (message: string, userPresentableMessage: string) =>
  new LinearError(message, { ...invalidInput, userPresentableMessage })

/** One of Linear's queries or mutations for which the emulator has no behaviour. */
export function notEmulated(kind: 'Query' | 'Mutation', field: string): LinearError {
  const message = `Not emulated: the ${kind.toLowerCase()} "${field}". Linear has it, but the emulator that answered does not. See https://github.com/mcp-toolkits/mcp-toolkits/blob/main/docs/emulators/linear.md`
  const code = { type: 'feature not accessible', code: 'NOT_EMULATED', statusCode: 501 }
  return new LinearError(message, { ...code, userError: true, userPresentableMessage: message })
}

/** A malformed argument, or one that refers to an unsuitable entity. */
export const badArgument = (why: string) =>
  new LinearError('Argument Validation Error', { ...invalidInput, code: 'INVALID_INPUT', userPresentableMessage: why })

export const notFound = (type: string) => inputError(`Entity not found: ${type}`, `Could not find referenced ${type}.`)

export const conflict = (type: string, id: string) =>
  inputError(`conflict on insert of ${type}`, `Entity ${type} with id ${id} already exists.`)

export const conflictingLabels = (label: string, other: string) =>
  inputError(
    'labelIds not exclusive child labels',
    `The label '${label}' is in the same group as '${other}'. Only one label in a group can be applied to an issue.`,
  )

export const duplicateAttachment = () =>
  inputError('Duplicate attachment for duplicate url', 'An attachment with the same URL already exists.')

export const notAuthenticated = () =>
  new LinearError(
    'Authentication required, not authenticated',
    {
      type: 'authentication error',
      code: 'AUTHENTICATION_ERROR',
      statusCode: 401,
      userError: true,
      userPresentableMessage: 'You need to authenticate to access this operation.',
      http: { status: 401 },
    },
    401,
  )

export const rateLimited = (limit: number, what: string) =>
  new LinearError(
    `Rate limit exceeded. Only ${limit} ${what} are allowed per 1 hour`,
    {
      type: 'ratelimited',
      code: 'RATELIMITED',
      statusCode: 429,
      userError: true,
      userPresentableMessage: 'Rate limit exceeded.',
    },
    400,
  )

export const tooComplex = (complexity: number, maximum: number) =>
  new LinearError(
    'Query too complex',
    {
      ...invalidInput,
      userPresentableMessage: `The query is too complex. Complexity: ${complexity}. Maximum allowed complexity: ${maximum}.`,
    },
    400,
  )

export const missingScope = (scope: string) =>
  new LinearError(
    `Invalid scope: \`${scope}\` required`,
    {
      type: 'forbidden',
      code: 'FORBIDDEN',
      statusCode: 403,
      userError: true,
      userPresentableMessage: `Invalid scope: \`${scope}\` required`,
    },
    400,
  )

export const forbidden = (why: string) =>
  new LinearError('Forbidden', { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403, userError: true, userPresentableMessage: why })

/** A server failure between two mutations in one document. */
export class Interruption extends Error {
  override name = 'Interruption'
}

/** A document that is not valid GraphQL. */
export const badDocument = (message: string, code: string) =>
  new LinearError(message, { type: 'graphql error', code, statusCode: 400, userError: true, http: { status: 400 } }, 400)
