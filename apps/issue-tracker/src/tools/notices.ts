/** The notice of an empty list: what was searched. Nothing for a list that has something. */
export function emptyNotice(noun: string, found: readonly unknown[], filters: Readonly<Record<string, unknown>>): { notice?: string } {
  if (found.length > 0) return {}
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name} ${JSON.stringify(value)}`],
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
