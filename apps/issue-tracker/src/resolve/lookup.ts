import { InvalidInput, NotFound } from '@mcp-toolkits/core'
import { findReference } from '@mcp-toolkits/core/matching'
import { slugIn, tidy } from '../linear/references.ts'
import { candidate, type Named } from './candidates.ts'

export interface Lookup<Found extends Named> {
  /** What exactly one column found. */
  readonly exact: readonly Found[]
  /** Everything that a name could mean; for a name only. */
  readonly candidates: readonly Named[]
  readonly wanted: string
  readonly kind: string
  readonly autoAccept: boolean
}

/**
 * The one record that a look-up means, or the id of the one that its name is close enough to. Throws `NotFound` or `Ambiguous` with
 * suggestions.
 */
export function pick<Found extends Named>({
  exact,
  candidates: all,
  wanted,
  kind,
  autoAccept,
}: Lookup<Found>): Found | { readonly closeTo: string } {
  const [only, ...others] = exact
  if (only && others.length === 0) return only
  const among = only ? exact : all
  const { match } = findReference(wanted, among.map(candidate), { kind, parameter: 'value', autoAccept })
  return exact.find(({ id }) => id === match.id) ?? { closeTo: match.id }
}

/** A column by which a record can be looked up other than by its id. */
type Column = 'key' | 'slug_id' | 'name'

/** What a text that is no id looks like, for the columns that are not simply names. */
const looksLike: Readonly<Record<Exclude<Column, 'name'>, (text: string) => boolean>> = {
  key: (text) => /^[A-Z][A-Z0-9]{0,6}$/.test(text),
  slug_id: (text) => slugIn(text) !== undefined,
}

/** An id that is none would be refused by Linear without a word about look-ups; this says by which column the value can be looked up. */
export function notAnId(value: string, columns: readonly Column[]): InvalidInput {
  const column = columns.find((each) => each === 'name' || looksLike[each](tidy(value))) ?? 'name'
  const text = `"${value}" is no id (a UUID). To look it up by its ${column}, pass lookup_by "${column}".`
  return new InvalidInput(text, { next: { change: { lookup_by: column } } })
}

/** The only record of a second look-up by an id that was just found. */
export function onlyOne<Found>([only]: readonly Found[]): Found {
  if (only === undefined) throw new NotFound('It was removed while it was looked up. Repeat the call.')
  return only
}
