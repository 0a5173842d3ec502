import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type ErrorDetails, InvalidInput, Unavailable } from '../errors/errors.ts'
import { canonicalJson, parseJson } from '../base/json.ts'
import { ToolResult, type Page } from '../tool/tool-result.ts'

/** Position in a list that may continue. `end_cursor` is null at the end, and for tools without a cursor parameter. */
export const Pagination = z.object({
  has_more: z.boolean().describe('Whether more follow.'),
  end_cursor: z.string().nullable().describe('To read on, pass it as the parameter end_cursor.'),
})

/**
 * The query's digest and the vendor's cursor; for a shortened result, also the number of rows shown after that cursor and the digest of the
 * last one; for a list that begins on a given day, also its start time.
 */
const CursorContent = z.union([
  z.tuple([z.string(), z.string()]),
  z.tuple([z.string(), z.string().nullable(), z.int().min(1).max(1_000), z.string()]),
  z.tuple([z.string(), z.string().nullable(), z.int().min(0).max(1_000), z.string(), z.iso.datetime()]),
])

interface Position {
  /** The vendor's cursor; undefined for the start of the list. */
  readonly after: string | undefined
  /** Number of rows after the cursor that have already been shown. */
  readonly shown: number
  /** The digest of the last row shown. */
  readonly lastShown?: string
  /** The list's start time, if it begins on a given day. */
  readonly since?: string | undefined
}

/**
 * Wraps a vendor's cursor so that it works only with the query it came from.
 * @param query identifies the list: the name of the tool and its filters
 */
export function encodeCursor(query: unknown, position: string, since?: string): string {
  return encode(since === undefined ? [digest(query), position] : [digest(query), position, 0, '', since])
}

/** The position that a cursor encodes. Throws `InvalidInput` if the cursor is malformed or belongs to a different query. */
export function decodeCursor(query: unknown, cursor: string): Position {
  const parsed = CursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  // Decoding skips characters that are not base64, so only a cursor that encodes to itself is valid.
  if (!parsed.success || encode(parsed.data) !== cursor) throw invalidCursor('was not issued by this server', {})
  const [queryDigest, after, shown = 0, lastShown = '', since] = parsed.data
  if (queryDigest !== digest(query))
    throw invalidCursor('was issued for a call with other arguments', { next: { change: { end_cursor: null } } })
  return { after: after ?? undefined, shown, lastShown, since }
}

function encode(content: z.output<typeof CursorContent>): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

/** The error for an invalid cursor. It proposes a restart only if the query differs: otherwise, a caller could restart forever. */
function invalidCursor(reason: string, details: ErrorDetails): InvalidInput {
  return new InvalidInput(`The cursor ${reason}. Leave it out to read from the start.`, details)
}

function digest(query: unknown): string {
  return createHash('sha256')
    .update(canonicalJson([query]))
    .digest('base64url')
    .slice(0, 12)
}

/** One page of a list: its start, and a way for its result to refer to the rest. */
export interface Paging {
  /** The vendor's cursor that the page starts after; undefined for the first page. */
  readonly after: string | undefined
  /** Number of rows to request; more than the limit if that many have already been shown. */
  readonly first: number
  /** The list's start time, taken from its first page, because a later page may see a different time zone. */
  readonly since: string | undefined
  /** Returns the page's result without the rows already shown; if the result is shortened, the next page continues where it ends. */
  readonly result: <Data>(data: Data) => ToolResult<Data>
  readonly pagination: (hasMore: boolean, position: string | null | undefined) => z.output<typeof Pagination>
}

/** Decodes a page's cursor and encodes the next one. Throws `InvalidInput` like `decodeCursor`. */
export function startPaging(
  query: unknown,
  { limit, end_cursor: cursor }: { readonly limit: number; readonly end_cursor?: string | undefined },
  begins?: string,
): Paging {
  // Many hosts send an empty string for an unset parameter.
  const position: Position = cursor === undefined || cursor === '' ? { after: undefined, shown: 0 } : decodeCursor(query, cursor)
  const since = position.since ?? begins
  const page: Page = (rows) => {
    const start = startOf(rows, position)
    const cursorAt = (count: number) => {
      const shown = [digest(query), position.after ?? null, start + count, digest(rows[start + count - 1])] as const
      return encode(since === undefined ? [...shown] : [...shown, since])
    }
    return { rows: rows.slice(start), cursorAt }
  }
  return {
    after: position.after,
    first: Math.max(limit, position.shown + 1),
    since,
    result: (data) => new ToolResult(data, { page }),
    pagination: (hasMore, end) => ({ has_more: hasMore, end_cursor: hasMore && end != null ? encodeCursor(query, end, since) : null }),
  }
}

/** The index after the last row shown, even if rows before it have since been added or removed. */
function startOf(rows: readonly unknown[], { shown, lastShown }: Position): number {
  if (shown === 0 || digest(rows[shown - 1]) === lastShown) return shown
  const last = rows.findLastIndex((row) => digest(row) === lastShown)
  return last === -1 ? shown : last + 1
}

export interface PageOptions {
  /** The vendor's name in messages. */
  readonly vendor: string
  readonly maxPages: number
  /** The first page's token. */
  readonly start?: string | undefined
}

/**
 * Reads pages in order, until a page names no next page or `maxPages` have been read; in the latter case, the last page still names a
 * next one. Throws `Unavailable` if the vendor names a page that has already been read, because that would never end.
 */
export async function* readPages<Page extends { readonly next?: string | undefined }>(
  { vendor, maxPages, start }: PageOptions,
  read: (token: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<string | undefined>()
  let token = start
  for (let count = 0; count < maxPages; count += 1) {
    seen.add(token)
    const page = await read(token)
    if (page.next !== undefined && seen.has(page.next)) throw repeatedPage(vendor)
    yield page
    if (page.next === undefined) return
    token = page.next
  }
}

/** The error for a vendor whose next page is one already read. */
export function repeatedPage(vendor: string): Unavailable {
  return new Unavailable(`${vendor} sent the same page again instead of the next one, so the list could not be completed. Try again later.`)
}
