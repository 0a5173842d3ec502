/** What a tool's documentation names as the value that enables strict validation. Each tool takes its own and no other. */
const enablingValues = ['True', '1'] as const
export type EnablingValue = (typeof enablingValues)[number]

export interface Strictness {
  readonly strict: boolean
  /** Set when a value was given that a caller could believe to be enabling. */
  readonly notice?: string
}

/** Values by which nobody means strict. */
const off = ['', 'false', '0', 'no', 'off', 'none', 'null']

/**
 * Whether the value of a tool's strictness parameter enables strict validation: the documented value, however it is spelt (case,
 * blanks around it, one pair of quotes, or the same value in JSON). Anything else is permissive, as the documentation says, with a
 * notice where it looks like an attempt.
 */
export function readStrictness(parameter: string, enabling: EnablingValue, given: unknown): Strictness {
  if (given === undefined || given === null) return { strict: false }
  const spelt = (typeof given === 'string' ? given : JSON.stringify(given)).trim()
  const value = unquoted(spelt).toLowerCase()
  if (value === enabling.toLowerCase()) return { strict: true }
  if (off.includes(value)) return { strict: false }
  const shown = JSON.stringify(spelt.length > 40 ? `${spelt.slice(0, 39)}…` : spelt)
  const notice = `${parameter} was ${shown}, which does not enable strict validation on this tool: the call ran in permissive mode. Pass "${enabling}" to enable it.`
  return { strict: false, notice }
}

/** The value that means on this tool what `given` means on one of them; undefined for an attempt that enables none. */
export function meantFor(enabling: EnablingValue, given: unknown): unknown {
  const read = (value: EnablingValue) => readStrictness('', value, given)
  if (enablingValues.some((value) => read(value).strict)) return enabling
  return read(enabling).notice === undefined ? given : undefined
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
}
