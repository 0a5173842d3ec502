import { Secret } from '@mcp-toolkits/core'
import { member, parseJson, stringMember } from '@mcp-toolkits/core/json'
import { type AccountInfo, decodeAccount, decodeLogin, encodeLogin, type Login } from '../stored-login.ts'

/** What a person has given to a server: a login, or a key that they have entered. */
export type Grant =
  { readonly kind: 'login'; readonly login: Login } | { readonly kind: 'key'; readonly key: Secret; readonly account: AccountInfo }

/** A grant as the text that a store seals. */
export function encodeGrant(grant: Grant): string {
  return JSON.stringify(grant.kind === 'login' ? encodeLogin(grant.login) : { api_key: grant.key.reveal(), identity: grant.account })
}

/** The grant that `encodeGrant` wrote; undefined for anything else, and for one that does not open. */
export function decodeGrant(text: string | undefined): Grant | undefined {
  if (text === undefined) return undefined
  const stored = parseJson(text)
  const key = stringMember(stored, 'api_key')
  if (key !== undefined) return { kind: 'key', key: new Secret(key), account: decodeAccount(member(stored, 'identity')) }
  const login = decodeLogin(stored)
  return login && { kind: 'login', login }
}

/** The key in a grant as it is stored; undefined for any other grant. */
export function keyInGrant(text: string | undefined): Secret | undefined {
  const grant = decodeGrant(text)
  return grant?.kind === 'key' ? grant.key : undefined
}
