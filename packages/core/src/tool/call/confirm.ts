import { Unavailable } from '../../errors/errors.ts'
import { count, joinWords } from '../../errors/text.ts'

/** The verdict on a field: true if the vendor's record shows the value passed, false if not, `unread` if the response omits the field. */
export type FieldShown = boolean | 'unread'

/** The parameters that a call passed, each with its verdict. Undefined for a parameter that was not passed. */
export type Shown = Readonly<Record<string, FieldShown | undefined>>

/**
 * Compares a change with the record that the vendor returned: vendors answer "success" even to changes that they ignore. Returns a notice
 * about the parts that the record does not show, or `undefined` if it shows everything. Throws `Unavailable` if it shows that no part took
 * effect.
 */
export function confirmChange(vendor: string, shown: Shown): string | undefined {
  const missing = namesOf(shown, false)
  if (missing.length > 0 && namesOf(shown, true, 'unread').length === 0)
    throw unchanged(
      vendor,
      `${joinWords(missing)} ${missing.length === 1 ? 'does' : 'do'} not have the ${missing.length === 1 ? 'value' : 'values'} that you passed`,
    )
  return differences(vendor, shown)
}

/**
 * Throws `Unavailable` if the record that the vendor returned shows that an action was not done; `otherwise` describes the resulting state.
 * Returns a notice if the record does not show whether it was done.
 */
export function confirmDone(vendor: string, isDone: FieldShown, otherwise: string): string | undefined {
  if (isDone === false) throw unchanged(vendor, otherwise)
  return isDone === 'unread' ? `${vendor} answered "success" without the field that confirms it. Read the record to be sure.` : undefined
}

/**
 * Compares what was created with the record that the vendor returned. Returns a notice about the parts that the record does not show, or
 * `undefined` if it shows everything.
 */
export function confirmCreated(vendor: string, shown: Shown): string | undefined {
  return differences(vendor, shown)
}

function unchanged(vendor: string, what: string): Unavailable {
  return new Unavailable(
    `${vendor} answered "success", but the record that it returned shows no change: ${what}. Read the record before you try again.`,
  )
}

function namesOf(shown: Shown, ...kinds: readonly FieldShown[]): string[] {
  return Object.entries(shown).flatMap(([name, isShown]) => (isShown !== undefined && kinds.includes(isShown) ? [name] : []))
}

function differences(vendor: string, shown: Shown): string | undefined {
  const [missing, unread] = [namesOf(shown, false), namesOf(shown, 'unread')]
  const faults = [
    ...(missing.length === 0 ? [] : [`${count(missing.length, 'field')} did not take effect: ${joinWords(missing)}`]),
    ...(unread.length === 0 ? [] : [`its response leaves out ${joinWords(unread)}, which cannot be confirmed`]),
  ]
  if (faults.length === 0) return undefined
  const hint = unread.length === 0 ? `The result shows what ${vendor} has stored.` : 'Read the record to be sure.'
  return `${vendor} answered "success", but ${faults.join('; ')}. ${hint}`
}

/**
 * Compares the letters and digits of two strings. Vendors rewrite the markup and white space of stored text, never its letters and
 * digits.
 */
export function sameText(one: string | undefined, other: string | undefined): boolean {
  const letters = (text: string | undefined) => (text ?? '').normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '')
  return one === other || letters(one) === letters(other)
}
