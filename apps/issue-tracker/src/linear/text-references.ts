import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { nodes, query } from './document.ts'
import { Assignee } from './lookups.ts'
import { PageUrl, TeamRef, Text } from './records.ts'

/** A person or app that text can mention. */
const Mentionable = Assignee.extend({ url: PageUrl, is_mentionable: z.boolean().default(true) })
export type Mentionable = z.output<typeof Mentionable>

/** The people and issues that texts refer to, and people with similar names. */
export const textReferences = query(
  'TextReferences',
  { names: 'UserFilter', longer: 'UserFilter', similar: 'UserFilter', issues: 'IssueFilter', keys: 'TeamFilter', count: 'Int' },
  {
    named: nodes('users(first: 50, filter: $names, includeDisabled: true) @include(if: $hasNames)', Mentionable).optional(),
    longer: nodes('users(first: 50, filter: $longer, includeDisabled: true) @include(if: $hasLonger)', Mentionable).optional(),
    has_more_longer: z.boolean().optional(),
    similar: nodes('users(first: 50, filter: $similar, includeDisabled: true) @include(if: $hasSimilar)', Mentionable).optional(),
    linked: nodes(
      'issues(first: $count, filter: $issues, includeArchived: true) @include(if: $hasIssues)',
      z.object({ identifier: z.string(), url: PageUrl }),
    ).optional(),
    teams: nodes(
      'teams(first: $count, filter: $keys, includeArchived: true) @include(if: $hasKeys)',
      TeamRef.pick({ key: true }),
    ).optional(),
    organization: z.object({ url_key: Text }).optional(),
  },
)

/** Adds the URL that mentions a person. The built-in emulator omits it while it serves no pages. */
export function withAddress(person: Mentionable, workspace: string | undefined): Mentionable {
  const { url, display_name: name } = person
  return url !== undefined || workspace === undefined || name === undefined
    ? person
    : { ...person, url: `https://linear.app/${workspace}/profiles/${name}` }
}

/** Maximum number of names in one lookup. */
const maxNames = 50
/** Maximum number of names, each with the word after it, in one lookup. */
export const maxLonger = 250
/** Maximum number of identifiers in one lookup. */
export const maxIdentifiers = 250

/** The team key in an identifier. */
export const keyOf = (identifier: string) => identifier.slice(0, identifier.indexOf('-'))

interface References {
  /** Words after an "@". */
  readonly names: readonly string[]
  /** The names, each with the word after it: a full name may begin this way. */
  readonly longer: readonly string[]
  readonly identifiers: readonly string[]
}

/** Variables for the references in texts. */
export function referenceVariables({ names, longer, identifiers }: References) {
  const begin = (name: string) => [{ displayName: { startsWithIgnoreCase: name } }, { name: { startsWithIgnoreCase: name } }]
  const some = names.slice(0, maxNames)
  const is = some.flatMap((name) => [{ displayName: { eqIgnoreCase: name } }, { name: { eqIgnoreCase: name } }])
  const starts = some.flatMap(begin)
  const startsLonger = longer.slice(0, maxLonger).flatMap(begin)
  const byKey = [...Map.groupBy(identifiers, keyOf)]
  const issues = byKey.map(([key, each]): Linear.IssueFilter => ({
    team: { key: { eq: key } },
    number: { in: each.map((identifier) => Number(identifier.slice(key.length + 1))) },
  }))
  return {
    names: is.length === 0 ? undefined : { or: is },
    longer: startsLonger.length === 0 ? undefined : { or: startsLonger },
    similar: starts.length === 0 ? undefined : { or: starts },
    ...(issues.length > 0 && { issues: { or: issues }, keys: { key: { in: byKey.map(([key]) => key) } }, count: identifiers.length }),
  }
}
