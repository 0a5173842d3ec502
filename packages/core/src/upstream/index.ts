export {
  basicAuthorization,
  type Environment,
  isLoopback,
  isSecureUrl,
  type KeyPrefixes,
  readBaseUrl,
  readSecret,
  isUnfilled,
  readToken,
  restrictOrigins,
  Secret,
  withAuthorization,
} from './credentials.ts'
export { parseAllowedHosts } from './guarded-fetch/allowed-hosts.ts'
export {
  guardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
} from './guarded-fetch/guarded-fetch.ts'
export { Attempts, backoffMs, isTransient, retryAfterMs, withRetry } from './attempts.ts'
export { type Backlog, type MeasuredRequest, noTelemetry, type Telemetry } from './telemetry.ts'
export { boundedFetch } from './transport/bounded-fetch.ts'
export { isProxyFailure, rememberProxy } from './transport/proxies.ts'
export { type CompleteResponse, type Fetch, jsonOf, OversizedResponse, readWhole } from './transport/response.ts'
export { openSharedLimits } from './transport/limits/open-shared-limits.ts'
export type { LimitsStorage } from './transport/limits/shared-limits.ts'
export { streamingFetch, systemFetch } from './transport/system-fetch.ts'
export {
  type ClientOptions,
  createTransport,
  ResponseTimeout,
  transientStatuses,
  type Transport,
  type TransportRequest,
} from './transport/transport.ts'
export { type Hold, memoryLimits, type UpstreamLimits } from './transport/limits/upstream-limits.ts'
