import { isObject, parseJson, type RecordKey } from '@mcp-toolkits/core/base'
import { storageFailure } from '@mcp-toolkits/core/errors'
import { type AdapterPayload, errors } from 'oidc-provider'

/** Owner of records that belong to no person. */
const owner = 'authorization server'

export type OAuthRecordKind =
  | 'oauth authorization'
  | 'oauth assertion'
  | 'oauth client'
  | 'oauth client document'
  | 'oauth code'
  | 'oauth interaction'
  | 'oauth known redirect'
  | 'oauth new client'
  | 'oauth refresh tokens'
  | 'oauth sign-in'
  | 'oauth signing key'

/** Key of a record that belongs to no person. `name` is a hash if the original name would grant access. */
export const recordKey = (kind: OAuthRecordKind, name: string): RecordKey => ({ owner, kind, name })

/** All records of a kind that belong to no person. */
export const recordsOfKind = (kind: OAuthRecordKind) => ({ owner, kind })

/** Reads a payload stored for oidc-provider; undefined if oidc-provider cannot have written it. */
export function readPayload(text: string | undefined): AdapterPayload | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  return isPayload(value) ? value : undefined
}

export function isPayload(value: unknown): value is AdapterPayload {
  return isObject(value) && !Array.isArray(value)
}

/** An oidc-provider payload as text to store, without facts about a person or secrets that grant access. */
export function writePayload(payload: AdapterPayload): string {
  return JSON.stringify(without(payload, ['jti', 'accountId']))
}

/** An object without some of its members. */
export function without(value: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** If the store is down, throws an error that makes clients retry; rethrows any other error unchanged. */
export function explainStorage(error: unknown): never {
  throw storageFailure(error) ? temporarilyUnavailable() : error
}

/** Error for a client if something that the server needs is down. */
export function temporarilyUnavailable(): Error {
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', 'The server cannot answer at the moment. Try again later.')
  return Object.assign(error, { status: 503, statusCode: 503 })
}

export function isTemporarilyUnavailable(error: unknown): boolean {
  return error instanceof errors.OIDCProviderError && error.error === 'temporarily_unavailable'
}
