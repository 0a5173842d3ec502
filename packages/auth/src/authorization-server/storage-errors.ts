import { storageFailure } from '@mcp-toolkits/core/system-error'
import { errors } from 'oidc-provider'

/** Has clients told that they can try again, where the store is down; throws every other error as it is. */
export function explainStorage(error: unknown): never {
  throw storageFailure(error) ? temporarilyUnavailable() : error
}

/** The error for a client when something is down that the server needs. */
export function temporarilyUnavailable(): Error {
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', 'The server cannot answer at the moment. Try again later.')
  return Object.assign(error, { status: 503, statusCode: 503 })
}

export function isTemporarilyUnavailable(error: unknown): boolean {
  return error instanceof errors.OIDCProviderError && error.error === 'temporarily_unavailable'
}
