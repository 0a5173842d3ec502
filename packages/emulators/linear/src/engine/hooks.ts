import { badArgument } from '../errors.ts'
import type { CrudHooks } from './crud.ts'

/** A position in an order: a number in inputs, a string in entities. */
export const ordered: CrudHooks = {
  check: (_session, { sortOrder }) => (typeof sortOrder === 'number' ? { sortOrder: String(sortOrder) } : undefined),
}

/** The two ends of a relation, which must differ. */
export const differentEnds = (end: string, other: string): CrudHooks => ({
  check(_session, values, before) {
    if ((values[end] ?? before?.[end]) === (values[other] ?? before?.[other])) throw badArgument(`${other} must be different from ${end}.`)
    return undefined
  },
})
