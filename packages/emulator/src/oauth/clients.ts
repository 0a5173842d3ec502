import { createHash, timingSafeEqual } from 'node:crypto'

/** An application that asks people for access. */
export interface OAuthClient {
  readonly id: string
  /** What the page of consent calls it. */
  readonly name: string
  /** Absent for an application that cannot keep one. */
  readonly secret?: string
}

/** Whether a secret is the one of an application; every one is for an application without. */
export function knowsSecret({ secret }: OAuthClient, given: string | null): boolean {
  return secret === undefined || (given !== null && timingSafeEqual(sha256(given), sha256(secret)))
}

const sha256 = (value: string) => createHash('sha256').update(value).digest()
