/** The notice of an empty list: what was searched. Nothing for a list that has something. */
export function emptyNotice(noun: string, found: readonly unknown[], filters: Readonly<Record<string, unknown>>): { notice?: string } {
  if (found.length > 0) return {}
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name} ${JSON.stringify(value)}`],
  )
  return { notice: given.length === 0 ? `There is no ${noun}.` : `No ${noun} matches ${given.join(' and ')}.` }
}
