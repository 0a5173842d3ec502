import type { Choice } from './errors.ts'
import type { Candidate } from './references.ts'

/** How much of the end of an id tells two apart. */
const endLength = 6

/**
 * The choice between candidates that a reference fits equally. A label is the name with what tells twins apart: key, e-mail address,
 * what it belongs to, and where that is not enough the end of the id.
 */
export function choiceAmong(candidates: readonly Candidate[], reference: Omit<Choice, 'options'>): Choice {
  const plain = candidates.map(({ name, key, email, parent }) => labelled(name, [key, email, parent]))
  const ids = candidates.map(({ id }) => id)
  const options = candidates.map(({ id, name, key, email, parent }, index) => {
    const label = plain[index]
    const isTaken = label === undefined || plain.filter((other) => other === label).length > 1
    return { id, label: isTaken ? labelled(name, [key, email, parent, endOf(id, ids)]) : label }
  })
  return { ...reference, options }
}

function labelled(name: string, details: readonly (string | undefined)[]): string {
  const known = details.filter((detail) => detail !== undefined)
  return known.length === 0 ? name : `${name} (${known.join(', ')})`
}

function endOf(id: string, among: readonly string[]): string {
  const end = id.slice(-endLength)
  return end === id || among.filter((other) => other.endsWith(end)).length > 1 ? id : `…${end}`
}
