import { Secret } from '@mcp-toolkits/core'
import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import type { AccountInfo } from '../stored-login.ts'

/** The grant of a person who has entered an API key, as it is stored. */
export function encodeKeyGrant(key: Secret, account: AccountInfo = {}): string {
  return JSON.stringify({ api_key: key.reveal(), identity: account })
}

/** The key in such a grant; undefined for any other grant. */
export function decodeKeyGrant(grant: string): Secret | undefined {
  const key = stringMember(parseJson(grant), 'api_key')
  return key === undefined ? undefined : new Secret(key)
}
