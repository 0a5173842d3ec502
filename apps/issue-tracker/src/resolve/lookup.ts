import { InvalidInput, NotFound } from '@mcp-toolkits/core'
import { type Candidate, findMatch } from '@mcp-toolkits/core/matching'
import { isUuid, quoted, slugIn, tidy } from '../linear/references.ts'
import { type Listed, placeOf } from './lists.ts'

/** A column by which a record can be looked up other than by its id. */
type Column = 'key' | 'slug_id' | 'name'

export interface Lookup<Found extends Listed> {
  readonly column: 'id' | 'key' | 'name'
  /** What exactly that column found. */
  readonly exact: readonly Found[]
  /** What else there is. */
  readonly candidates: readonly Listed[]
  readonly wanted: string
  readonly kind: string
  readonly autoAccept: boolean
}

/** The column by which a value is looked up: an id is an id, whatever it was said to be. */
export function columnOf<Said extends string>(value: string, said: Said): Said | 'id' {
  return isUuid(value) ? 'id' : said
}

/**
 * The one record that a look-up means, or the id of the one that its name is close enough to. Throws `NotFound` or `Ambiguous` with
 * suggestions.
 */
export function pick<Found extends Listed>(lookup: Lookup<Found>): Found | { readonly closeTo: string } {
  const { column, exact, candidates, wanted, kind, autoAccept } = lookup
  const [only, ...others] = exact
  if (only && others.length === 0) return only
  const among = (only ? exact : candidates).flatMap((one) => inColumn(one, column))
  const options = { kind, parameter: 'value', autoAccept: autoAccept && column === 'name' }
  try {
    const { id } = findMatch(wanted, among, options).candidate
    return exact.find((one) => one.id === id) ?? { closeTo: id }
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    if (kind === 'project' && looksLike.slug_id(tidy(wanted))) {
      const next = { change: { lookup_by: 'slug_id' } }
      throw new NotFound(`No project is called ${quoted(wanted)}. That looks like a slug: pass lookup_by "slug_id".`, { next })
    }
    const other = otherColumn(lookup)
    if (!other) throw error
    throw new NotFound(`No ${kind} has the ${column} ${quoted(wanted)}, but one has that ${other}: pass lookup_by "${other}".`, {
      next: { change: { lookup_by: other } },
    })
  }
}

/** A record as it is compared in a column alone. */
function inColumn({ id, ...one }: Listed, column: 'id' | 'key' | 'name'): Candidate[] {
  const name = column === 'key' ? one.key : one.name
  return name === undefined ? [] : [{ id, name, parent: placeOf(one) }]
}

function otherColumn({ column, candidates, wanted }: Lookup<Listed>): 'key' | 'name' | undefined {
  const other = column === 'key' ? 'name' : 'key'
  return candidates.some((one) => one[other]?.toLowerCase() === tidy(wanted).toLowerCase()) ? other : undefined
}

/** What a text that is no id looks like, for the columns that are not simply names. */
const looksLike: Readonly<Record<Exclude<Column, 'name'>, (text: string) => boolean>> = {
  key: (text) => /^[A-Z][A-Z0-9]{0,6}$/.test(text),
  slug_id: (text) => slugIn(text) !== undefined,
}

/** An id that is none would be refused by Linear without a word about look-ups; this says by which column the value can be looked up. */
export function notAnId(value: string, columns: readonly Column[]): InvalidInput {
  const column = columns.find((each) => each === 'name' || looksLike[each](tidy(value))) ?? 'name'
  const text = `${quoted(value)} is no id (a UUID). To look it up by its ${column}, pass lookup_by "${column}".`
  return new InvalidInput(text, { next: { change: { lookup_by: column } } })
}

/** The only record of a second look-up by an id that was just found. */
export function onlyOne<Found>([only]: readonly Found[]): Found {
  if (only === undefined) throw new NotFound('It was removed while it was looked up. Repeat the call.')
  return only
}
