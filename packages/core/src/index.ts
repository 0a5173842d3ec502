// What a server needs before its first call. What costs time to load has an entry of its own: tool and publish (zod), http (ky),
// matching, pagination.
export { withContent, withUrlElicitation, type FileContent, type UserContent, type UrlElicitation } from './content.ts'
export {
  withAuthorization,
  basicAuthorization,
  restrictedTo,
  isLoopback,
  readBaseUrl,
  readSecret,
  type Environment,
} from './credentials.ts'
export {
  withDetails,
  Ambiguous,
  Conflict,
  Forbidden,
  Internal,
  InvalidInput,
  NotFound,
  RateLimited,
  errorFromJson,
  errorToJson,
  TooLarge,
  ToolError,
  Unauthenticated,
  Unavailable,
  type Choice,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetails,
  type NextStep,
  type StoredError,
  type Suggestion,
} from './errors.ts'
export type { Fetch, HttpOptions } from './http.ts'
export type { JsonSchema } from './publish.ts'
export { Secret } from './secret.ts'
export type { CallContext, Effect, CallResult, Tool, ToolSpec } from './tool.ts'
