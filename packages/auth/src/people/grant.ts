import type { Secret } from '@mcp-toolkits/core'
import { member, parseJson } from '@mcp-toolkits/core/json'
import { type AccountInfo, decodeAccount, decodeLogin, encodeLogin, type Login } from '../stored-login.ts'
import { decodeKeyGrant, encodeKeyGrant } from './key-grant.ts'

/** What a person has given to a server: a login, or a key that they have entered. */
export type Grant =
  { readonly kind: 'login'; readonly login: Login } | { readonly kind: 'key'; readonly key: Secret; readonly account: AccountInfo }

/** A grant as the text that a store seals. */
export function encodeGrant(grant: Grant): string {
  return grant.kind === 'login' ? JSON.stringify(encodeLogin(grant.login)) : encodeKeyGrant(grant.key, grant.account)
}

/** The grant that `encodeGrant` wrote; undefined for anything else. */
export function decodeGrant(text: string): Grant | undefined {
  const key = decodeKeyGrant(text)
  if (key) return { kind: 'key', key, account: decodeAccount(member(parseJson(text), 'identity')) }
  const login = decodeLogin(parseJson(text))
  return login && { kind: 'login', login }
}
