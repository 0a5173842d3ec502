// What a server needs before its first call. What costs time to load has an entry of its own: tool and publish (zod), http (ky),
// matching, pagination.
export { withContent, withVisit, type Content, type ForPerson, type Visit } from './content.ts'
export { authorized, basicAuthorization, confined, isLoopback, readBaseUrl, readSecret, type Environment } from './credentials.ts'
export {
  amended,
  Ambiguous,
  Conflict,
  Forbidden,
  Internal,
  InvalidInput,
  NotFound,
  RateLimited,
  restored,
  TooLarge,
  ToolError,
  Unauthenticated,
  Unavailable,
  type Choice,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetails,
  type NextStep,
  type Suggestion,
} from './errors.ts'
export type { Fetch, HttpOptions } from './http.ts'
export type { JsonSchema } from './publish.ts'
export { Secret } from './secret.ts'
export type { Call, Effect, Outcome, Tool, ToolSpec } from './tool.ts'
