import { quoted } from '../linear/references.ts'

/** The notice of an empty list: what was searched. Nothing for a list that has something. */
export function emptyNotice(noun: string, found: readonly unknown[], filters: Readonly<Record<string, unknown>>): { notice?: string } {
  if (found.length > 0) return {}
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name} ${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`],
  )
  return { notice: given.length === 0 ? `There is no ${noun}.` : `No ${noun} matches ${given.join(' and ')}.` }
}

/** The notice of a list that goes on where no cursor leads: what to do instead, of what can still be done. */
export function moreNotice(hasMore: boolean, ...ways: readonly (string | false)[]): { notice?: string } {
  if (!hasMore) return {}
  const open = ways.filter((way) => way !== false)
  if (open.length === 0) return { notice: 'There are more than this tool can list.' }
  return { notice: `There are more: ${open.join(', or ')}.` }
}

/** Several notices as one; nothing when there are none. */
export function noticeOf(...notices: readonly (string | undefined)[]): { notice?: string } {
  const said = notices.filter((notice) => notice !== undefined)
  return said.length === 0 ? {} : { notice: said.join(' ') }
}

/** Said of a create that turned out to have happened before. */
export function createdEarlier(earlier: boolean): string | undefined {
  return earlier ? 'An earlier attempt of this call had created it; it was not created again.' : undefined
}

/** Said of a write to something archived, which goes through all the same. */
export function archivedNotice(kind: string, archivedAt: string | null | undefined): string | undefined {
  return archivedAt ? `The ${kind} is archived.` : undefined
}
