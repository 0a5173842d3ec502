import type { LinearDocument as Linear } from '@linear/sdk'
import * as z from 'zod'
import { nodes, query } from './document.ts'
import { Assignee } from './lookups.ts'
import { PageUrl } from './records.ts'

/** Someone whom a text can mention. */
const Mentionable = Assignee.extend({ url: PageUrl, is_mentionable: z.boolean().default(true) })
export type Mentionable = z.output<typeof Mentionable>

/** The people and issues that texts refer to, and people with similar names. */
export const textReferences = query(
  'TextReferences',
  { names: 'UserFilter', similar: 'UserFilter', issues: 'IssueFilter' },
  {
    named: nodes('users(first: 50, filter: $names, includeDisabled: true) @include(if: $hasNames)', Mentionable).optional(),
    similar: nodes('users(first: 50, filter: $similar) @include(if: $hasSimilar)', Mentionable).optional(),
    linked: nodes(
      'issues(first: 50, filter: $issues, includeArchived: true) @include(if: $hasIssues)',
      z.object({ identifier: z.string(), url: PageUrl }),
    ).optional(),
  },
)

/** Most names and most identifiers in one lookup. */
const maxReferences = 50

/** The variables for the names behind an "@", each a word of a text, and for identifiers. */
export function referenceVariables(names: readonly string[], identifiers: readonly string[]) {
  const some = names.slice(0, maxReferences)
  const is = some.flatMap((name) => [{ displayName: { eqIgnoreCase: name } }, { name: { eqIgnoreCase: name } }])
  const starts = some.flatMap((name) => [{ displayName: { startsWithIgnoreCase: name } }, { name: { startsWithIgnoreCase: name } }])
  const numbers = Map.groupBy(
    identifiers.slice(0, maxReferences).map((each) => each.split('-')),
    ([key]) => key,
  )
  const issues = [...numbers].map(([key = '', each]): Linear.IssueFilter => ({
    team: { key: { eq: key } },
    number: { in: each.map(([, number]) => Number(number)) },
  }))
  return {
    names: is.length === 0 ? undefined : { or: is },
    similar: starts.length === 0 ? undefined : { or: starts },
    issues: issues.length === 0 ? undefined : { or: issues },
  }
}
