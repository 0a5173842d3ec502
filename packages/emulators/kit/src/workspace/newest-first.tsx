import { More } from './elements.tsx'
import { type Content, type PageRequest, pageSize } from './workspace.ts'

/** The rows to read: those with ids below `before`, highest first. */
export interface RowRange {
  readonly before: number
  readonly limit: number
}

export interface NewestFirst<Row> {
  readonly rows: readonly Row[]
  /** The link to older rows, if any. */
  readonly older: Content
}

/** One page of rows, newest first, starting where the query says. `href` is the first page's address. */
export function newestFirst<Row extends { readonly id: number }>(
  { query }: Pick<PageRequest, 'query'>,
  href: string,
  select: (range: RowRange) => readonly Row[],
): NewestFirst<Row> {
  const before = Number(query('before') ?? Number.MAX_SAFE_INTEGER)
  const found = select({ before, limit: pageSize + 1 })
  const rows = found.slice(0, pageSize)
  const next = `${href}${href.includes('?') ? '&' : '?'}before=${rows.at(-1)?.id ?? 0}`
  return { rows, older: <More href={found.length > pageSize ? next : undefined} label="Older" /> }
}
