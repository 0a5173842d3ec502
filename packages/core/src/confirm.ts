import { Unavailable } from './errors.ts'
import { count, joinWords } from './text.ts'

/** The parameters that a call passed, each with whether the vendor's record shows it. Undefined for a parameter that was not passed. */
export type Shown = Readonly<Record<string, boolean | undefined>>

/**
 * Holds a change against the record that the vendor returned: vendors answer "success" to changes that they ignore. Returns a notice
 * about what the record does not show, `undefined` when it shows everything. Throws `Unavailable` when it shows nothing.
 */
export function confirmChange(vendor: string, shown: Shown): string | undefined {
  const { asked, missing } = compare(shown)
  if (missing.length > 0 && missing.length === asked)
    throw unchanged(vendor, `${joinWords(missing)} ${missing.length === 1 ? 'is' : 'are'} not as passed`)
  return notTaken(vendor, missing)
}

/** Throws `Unavailable` if the record that the vendor returned shows that an action was not done: `otherwise` says what is still so. */
export function confirmDone(vendor: string, isDone: boolean, otherwise: string): void {
  if (!isDone) throw unchanged(vendor, otherwise)
}

/** Holds a new thing against the record that the vendor returned. Returns a notice about what it does not show, `undefined` when there is nothing to say. */
export function confirmCreated(vendor: string, shown: Shown): string | undefined {
  return notTaken(vendor, compare(shown).missing)
}

function unchanged(vendor: string, what: string): Unavailable {
  return new Unavailable(
    `${vendor} answered "success", but the record that it returned shows no change: ${what}. Read the record before you try again.`,
  )
}

function compare(shown: Shown): { readonly asked: number; readonly missing: readonly string[] } {
  const asked = Object.entries(shown).filter(([, isShown]) => isShown !== undefined)
  return { asked: asked.length, missing: asked.filter(([, isShown]) => isShown === false).map(([name]) => name) }
}

function notTaken(vendor: string, missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined
  const fields = `${count(missing.length, 'field')} did not take effect: ${joinWords(missing)}`
  return `${vendor} answered "success", but ${fields}. The result shows what ${vendor} has stored.`
}

/** Whether two texts say the same. Vendors rewrite the markup and the white space of a text that they store, never its letters and digits. */
export function sameText(one: string | undefined, other: string | undefined): boolean {
  const letters = (text: string | undefined) => (text ?? '').normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '')
  return one === other || letters(one) === letters(other)
}
