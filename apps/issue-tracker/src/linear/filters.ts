import type { LinearDocument as Linear } from '@linear/sdk'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID; Linear may refuse others where it compares ids. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** A reference as it is compared: blanks around it and the way its accents are composed say nothing. */
export function tidy(reference: string): string {
  return reference.trim().normalize('NFC')
}

const byId = (text: string) => (isUuid(text) ? [{ id: { eq: text } }] : [])

/** A team by key, name or id. */
export function teamFilter(given: string): Linear.TeamFilter {
  const wanted = tidy(given)
  return { or: [{ key: { eqIgnoreCase: wanted } }, { name: { eqIgnoreCase: wanted } }, ...byId(wanted)] }
}

/** An active person by address, name, display name or id; `@me` is the caller. */
export function userFilter(given: string): Linear.UserFilter {
  const wanted = tidy(given)
  if (wanted.toLowerCase() === '@me') return { isMe: { eq: true } }
  const names = [{ email: { eqIgnoreCase: wanted } }, { name: { eqIgnoreCase: wanted } }, { displayName: { eqIgnoreCase: wanted } }]
  return { active: { eq: true }, or: [...names, ...byId(wanted)] }
}

/** A label by name or id; `group/child`, `group: child` and `group → child` name one of a group. */
export function labelFilter(given: string): Linear.IssueLabelFilter {
  const wanted = tidy(given)
  const parts = /^(.+?)\s*(?:\/|:|→)\s*(.+)$/.exec(wanted)
  const grouped = parts ? [{ name: { eqIgnoreCase: parts[2] ?? '' }, parent: { name: { eqIgnoreCase: parts[1] ?? '' } } }] : []
  return { isGroup: { eq: false }, or: [{ name: { eqIgnoreCase: wanted } }, ...grouped, ...byId(wanted)] }
}

/** A project by name, slug or id. */
export function projectFilter(given: string): Linear.ProjectFilter {
  const wanted = tidy(given)
  return { or: [{ name: { eqIgnoreCase: wanted } }, { slugId: { eq: wanted } }, ...byId(wanted)] }
}

/** A cycle by number, by name, or by `current` or `next`. */
export function cycleFilter(given: string): Linear.CycleFilter {
  const wanted = tidy(given)
  const number = /^(?:cycle\s*)?(\d+)$/i.exec(wanted)?.[1]
  if (number !== undefined) return { number: { eq: Number(number) } }
  if (wanted.toLowerCase() === 'current') return { isActive: { eq: true } }
  if (wanted.toLowerCase() === 'next') return { isNext: { eq: true } }
  return { or: [{ name: { eqIgnoreCase: wanted } }, ...byId(wanted)] }
}

/** Every word of `keywords` in the title or the description. */
export function keywordFilters(keywords: string): Linear.IssueFilter[] {
  return words(keywords).map((word) => ({ or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }] }))
}

/** The words of a search, without those that say nothing. */
export function words(keywords: string): string[] {
  return keywords.split(/\s+/).filter((word) => word !== '')
}
