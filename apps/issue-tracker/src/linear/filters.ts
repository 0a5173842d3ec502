import type { LinearDocument as Linear } from '@linear/sdk'
import { issueNamed, isUuid, projectNamed, tidy } from './references.ts'

const byId = (text: string) => (isUuid(text) ? [{ id: { eq: text } }] : [])

/** A team by key, name or id. */
export function teamFilter(given: string): Linear.TeamFilter {
  const wanted = tidy(given)
  return { or: [{ key: { eqIgnoreCase: wanted } }, { name: { eqIgnoreCase: wanted } }, ...byId(wanted)] }
}

/** An active person, no app, by address, name, display name or id; `@me` is the caller. */
export function userFilter(given: string): Linear.UserFilter {
  const wanted = tidy(given)
  if (wanted.toLowerCase() === '@me') return { isMe: { eq: true } }
  const names = [{ email: { eqIgnoreCase: wanted } }, { name: { eqIgnoreCase: wanted } }, { displayName: { eqIgnoreCase: wanted } }]
  return { active: { eq: true }, app: { eq: false }, or: [...names, ...byId(wanted)] }
}

/** A workflow state by name or id. */
export function stateFilter(given: string): Linear.WorkflowStateFilter {
  const wanted = tidy(given)
  return { or: [{ name: { eqIgnoreCase: wanted } }, ...byId(wanted)] }
}

/** A label by name or id; `group/child`, `group: child` and `group → child` name one of a group. */
export function labelFilter(given: string): Linear.IssueLabelFilter {
  const wanted = tidy(given)
  const grouped = [...wanted.matchAll(/[:→/]/g)].map(({ index }) => ({
    name: { eqIgnoreCase: wanted.slice(index + 1).trim() },
    parent: { name: { eqIgnoreCase: wanted.slice(0, index).trim() } },
  }))
  return { isGroup: { eq: false }, or: [{ name: { eqIgnoreCase: wanted } }, ...grouped.slice(0, 3), ...byId(wanted)] }
}

/** A project by name, slug, id or the address of its page. */
export function projectFilter(given: string): Linear.ProjectFilter {
  const wanted = tidy(given)
  return { or: [{ name: { eqIgnoreCase: wanted } }, { slugId: { eq: projectNamed(wanted) } }, ...byId(wanted)] }
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

/** Every word of `keywords` in the name. */
export function nameFilters(keywords: string): { name: { containsIgnoreCase: string } }[] {
  return words(keywords).map((word) => ({ name: { containsIgnoreCase: word } }))
}

/** Every word of `keywords` in the title or the description. */
export function keywordFilters(keywords: string): Linear.IssueFilter[] {
  return words(keywords).map((word) => ({ or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }] }))
}

/** The words of a search, without those that say nothing. */
export function words(keywords: string): string[] {
  return keywords.split(/\s+/).filter((word) => word !== '')
}

/** What no issue has. */
const nothing = { id: { eq: '00000000-0000-4000-8000-000000000000' } }

/** An issue by identifier, id or address. No filter finds a former identifier: `issue(id:)` does. */
export function issueFilter(given: string): Linear.IssueFilter {
  const wanted = issueNamed(given)
  if (isUuid(wanted)) return { id: { eq: wanted } }
  const [, key, number] = /^([a-z][a-z0-9]*)-([1-9]\d{0,8})$/i.exec(wanted) ?? []
  return key === undefined ? nothing : { team: { key: { eqIgnoreCase: key } }, number: { eq: Number(number) } }
}
