import { createHash } from 'node:crypto'
import * as z from 'zod'
import { InvalidInput } from './errors.ts'

/** What every list says about the rest of it. `end_cursor` is null where nothing follows or the tool takes no cursor. */
export const Pagination = z.object({
  has_more: z.boolean().describe('Whether more follow.'),
  end_cursor: z.string().nullable().describe('To read on, pass it as the parameter end_cursor.'),
})

const Position = z.tuple([z.string(), z.string()])

/**
 * Wraps a vendor's cursor so that it can only be used with the query it came from.
 * @param query whatever tells one list from another: the tool's name and its filters
 */
export function encodeCursor(query: unknown, position: string): string {
  return encoded([digest(query), position])
}

/** The vendor's cursor back. Throws `InvalidInput` when the cursor is malformed or belongs to another query. */
export function decodeCursor(query: unknown, cursor: string): string {
  const parsed = Position.safeParse(parse(Buffer.from(cursor, 'base64url').toString()))
  // Decoding passes over what is no base64, so only a cursor that encodes to itself is whole.
  if (!parsed.success || encoded(parsed.data) !== cursor) throw refused('is not one that this server gave out')
  const [fingerprint, position] = parsed.data
  if (fingerprint !== digest(query)) throw refused('was given out for a call with other arguments')
  return position
}

function encoded(position: z.output<typeof Position>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

function refused(why: string): InvalidInput {
  return new InvalidInput(`The cursor ${why}. Leave it out to read from the start.`, { next: { change: { end_cursor: null } } })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function digest(query: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([sorted(query)]))
    .digest('base64url')
    .slice(0, 12)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined && member !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}

/** The paging of one list: where it reads on, and what its answer says of the rest. */
export interface Paging {
  /** The vendor's cursor to read on from; undefined from the start. */
  readonly after: string | undefined
  readonly pagination: (hasMore: boolean, position: string | null | undefined) => z.output<typeof Pagination>
}

/** Takes a list's cursor apart and makes the next one. Throws `InvalidInput` as `decodeCursor` does. */
export function startPaging(query: unknown, cursor: string | undefined): Paging {
  return {
    after: cursor === undefined ? undefined : decodeCursor(query, cursor),
    pagination: (hasMore, position) => ({
      has_more: hasMore,
      end_cursor: hasMore && position != null ? encodeCursor(query, position) : null,
    }),
  }
}
