export { encodeCursor, decodeCursor, Pagination } from './pagination.ts'
export { authorized, basicAuthorization, isLoopback, readBaseUrl, readSecret, type Environment } from './credentials.ts'
export {
  amended,
  Ambiguous,
  Conflict,
  Forbidden,
  Internal,
  InvalidInput,
  NotFound,
  RateLimited,
  TooLarge,
  ToolError,
  Unauthenticated,
  Unavailable,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetails,
  type NextStep,
  type Suggestion,
} from './errors.ts'
export { Attempts, reportTogether } from './attempts.ts'
export { autoAccept, rank, type Ranked } from './fuzzy.ts'
export { http, waitOf, type Fetch, type HttpOptions } from './http.ts'
export { publishAs, publishedSchema, type JsonSchema } from './publish.ts'
export { findReference, findReferences, type Candidate, type Reference, type ReferenceOptions } from './references.ts'
export { Secret } from './secret.ts'
export { toolkit, type Call, type Effect, type Outcome, type Tool, type ToolSpec } from './tool.ts'
