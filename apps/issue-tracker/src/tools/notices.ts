import type { Identity } from '@mcp-toolkits/core/idempotency'
import { quote } from '@mcp-toolkits/core/text'

/** The notice for an empty list, with the filters. */
export function emptyNotice(kind: string, rows: readonly unknown[], filters: Readonly<Record<string, unknown>>): string | undefined {
  if (rows.length > 0) return undefined
  const present = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name} ${typeof value === 'string' ? quote(value, 80) : JSON.stringify(value)}`],
  )
  return present.length === 0 ? `There is no ${kind}.` : `No ${kind} matches ${present.join(' and ')}.`
}

/** The notice for an incomplete list without a cursor: the ways to see more. */
export function moreNotice(hasMore: boolean, ...ways: readonly (string | false)[]): string | undefined {
  if (!hasMore) return undefined
  const available = ways.filter((way) => way !== false)
  return available.length === 0 ? 'There are more than this tool can list.' : `There are more: ${available.join(', or ')}.`
}

/** The notices of a result; nothing when there are none. */
export function noticesOf(...notices: readonly (string | undefined)[]): { notices?: string[] } {
  const present = notices.filter((notice) => notice !== undefined)
  return present.length === 0 ? {} : { notices: present }
}

/** The notice for a record that an earlier attempt had created, or had begun to create. */
export function repeatNotice({ isRepeat }: Identity, wasCreatedEarlier: boolean, archivedAt?: string | null): string | undefined {
  if (!wasCreatedEarlier) return isRepeat ? 'An earlier attempt of this call was not completed; this one completed it.' : undefined
  const since = archivedAt ? ' Since then it was archived or moved to the trash.' : ''
  return `An earlier attempt of this call had created it; it was not created again.${since}`
}

/** What a call found instead of creating it. */
interface Found {
  /** What the call gives an id to, such as `link`. */
  readonly part: string
  readonly ids: readonly string[]
  /** Says that it was there already; left out where an earlier attempt of this call had created it. */
  readonly notice: string | undefined
}

/** Whether this call has changed something although it was there already: an earlier attempt had created it under one of our ids. */
export function foundNotice(identity: Identity, { part, ids, notice }: Found): { changed: boolean; notices?: string[] } {
  const isOurs = ids.includes(identity.uuid(part))
  return { changed: isOurs, ...noticesOf(isOurs ? repeatNotice(identity, true) : notice) }
}

/** The notice for something that can be there once only. */
export function creationNotice(
  { identity, isReplacement }: { readonly identity: Identity; readonly isReplacement: boolean },
  wasCreatedEarlier: boolean,
): string | undefined {
  if (!isReplacement) return repeatNotice(identity, wasCreatedEarlier)
  return 'An earlier attempt of this call had created it, and it has been deleted since, so it was created again.'
}

/** The notice for a write to something archived, which Linear accepts. */
export function archivedNotice(kind: string, archivedAt: string | null | undefined): string | undefined {
  return archivedAt ? `The ${kind} is archived.` : undefined
}
