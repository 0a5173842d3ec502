// What a server needs before its first call. Modules that take time to load have separate entry points.
export { withContent, withUrlElicitation, type FileContent, type Page, type UserContent, type UrlElicitation } from './tool/tool-result.ts'
export {
  withAuthorization,
  basicAuthorization,
  restrictOrigins,
  isLoopback,
  isSecureUrl,
  readBaseUrl,
  readSecret,
  readToken,
  type Environment,
  type KeyPrefixes,
} from './upstream/credentials.ts'
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
  mapErrorTexts,
  TooLarge,
  ToolError,
  Unauthenticated,
  Unavailable,
  type Choice,
  type ConnectStep,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetails,
  type NextStep,
  type StoredError,
  type Suggestion,
} from './errors/errors.ts'
export type { JsonSchema } from './tool/json-schema.ts'
export { Secret } from './upstream/credentials.ts'
export type { Fetch } from './upstream/transport/response.ts'
export type { CallContext, Effect, CallResult, Tool, ToolSpec } from './tool/tool.ts'
