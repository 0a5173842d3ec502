import { hash, randomUUID } from 'node:crypto'
import { badArgument } from './errors.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const versionFour = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export const isUuid = (value: string) => uuid.test(value)

/** A UUID that depends only on the name. */
export function idOf(name: string): string {
  const digest = hash('sha256', name)
  return [digest.slice(0, 8), digest.slice(8, 12), `4${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-')
}

/** The id from the client, or a new one. */
export function newId(fromClient: unknown): string {
  if (fromClient === undefined || fromClient === null) return randomUUID()
  if (typeof fromClient !== 'string' || !versionFour.test(fromClient)) throw badArgument('id must be a UUID of version 4.')
  return fromClient.toLowerCase()
}

/** The code at the end of a URL. */
export const slugIdFor = (id: string): string => hash('sha256', id).slice(0, 12)

/** A name as written in URLs. */
export const slugify = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)

/** Linear's address for the workspace's pages. */
export const vendorPages = 'https://linear.app/lodestar'
