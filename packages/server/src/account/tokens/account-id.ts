import { createHash } from 'node:crypto'
import type { AccountInfo, ActiveLogin } from './login-format.ts'

/** True if the vendor named the account. */
export const isNamed = (account: AccountInfo): boolean => Object.keys(account).length > 0

/** Identifies a login's account at an API in every process, without revealing a secret. */
export function accountIdOf({ account, accountId, tokens }: ActiveLogin, apiUrl: string): string {
  if (isNamed(account)) return hash([apiUrl, account])
  return accountId ?? hash([apiUrl, (tokens.refreshToken ?? tokens.accessToken).reveal()])
}

/** SHA-256 of a value's JSON, in base64url. */
export function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
