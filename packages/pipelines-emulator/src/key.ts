import { createHash, timingSafeEqual } from 'node:crypto'

/** The result of checking the key of a request. The key itself is never stored. */
export type KeyVerdict =
  'ok' | 'missing' | 'not Basic' | 'not base64' | 'no colon after the key' | 'a password after the colon' | 'wrong key'

/** Checks an `Authorization` header: Basic, with the key as user name and an empty password. */
export function checkKey(authorization: string | null, key: string): KeyVerdict {
  if (authorization === null) return 'missing'
  const [scheme = '', credentials = '', ...rest] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'basic' || rest.length > 0) return 'not Basic'
  const decoded = Buffer.from(credentials, 'base64')
  if (credentials === '' || decoded.toString('base64') !== credentials) return 'not base64'
  const pair = decoded.toString('utf8')
  if (!pair.includes(':')) return 'no colon after the key'
  if (!pair.endsWith(':')) return 'a password after the colon'
  return timingSafeEqual(sha256(pair), sha256(`${key}:`)) ? 'ok' : 'wrong key'
}

const sha256 = (value: string) => createHash('sha256').update(value).digest()
