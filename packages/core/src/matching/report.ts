import type { Choice } from '../errors.ts'
import type { Candidate } from './match.ts'

/** How much of the end of an id tells two apart. */
const endLength = 6

/**
 * The choice between candidates that a reference fits equally. A label is the name with what tells twins apart: key, e-mail address,
 * what it belongs to, and where that is not enough the end of the id.
 */
export function createChoice(candidates: readonly Candidate[], reference: Omit<Choice, 'options'>): Choice {
  const options = toldApart(candidates).map(({ id, name, apart }) => ({ id, label: apart === '' ? name : `${name} (${apart})` }))
  return { ...reference, options }
}

/** Candidates with what tells each from the others: empty where the name alone does. */
export function toldApart(candidates: readonly Candidate[]): { readonly id: string; readonly name: string; readonly apart: string }[] {
  const plain = candidates.map(({ key, email, parent }) => joined([key, email, parent]))
  const ids = candidates.map(({ id }) => id)
  return candidates.map(({ id, name }, index) => {
    const apart = plain[index] ?? ''
    const isTaken = candidates.some((other, place) => place !== index && other.name === name && plain[place] === apart)
    return { id, name, apart: isTaken ? joined([apart === '' ? undefined : apart, endOf(id, ids)]) : apart }
  })
}

function joined(details: readonly (string | undefined)[]): string {
  return details.filter((detail) => detail !== undefined).join(', ')
}

function endOf(id: string, among: readonly string[]): string {
  const end = id.slice(-endLength)
  return end === id || among.filter((other) => other.endsWith(end)).length > 1 ? id : `…${end}`
}
