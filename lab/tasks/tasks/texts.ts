// Patterns for texts of which the rest counts, too.

const linesOf = (text: unknown) => String(text).replaceAll('\r\n', '\n').trimEnd()

/** Exactly these lines. */
export const lines = (expected: readonly string[]) => (text: unknown) => linesOf(text) === expected.join('\n')

/** The text before with a passage replaced. */
export const replaced = (passage: string, by: string) => (text: unknown, before: unknown) =>
  linesOf(text) === linesOf(before).replace(passage, () => by)

/** The text before with one more line. */
export const oneMoreLine = (line: RegExp) => (text: unknown, before: unknown) => {
  const [whole, former] = [linesOf(text), linesOf(before)]
  return whole.startsWith(`${former}\n`) && line.test(whole.slice(former.length).trim())
}

/** These numbers of issues, and no others, in any order. */
export const namesOnly = (issues: readonly string[]) => (text: unknown) =>
  [...new Set(String(text).match(/\b[A-Z]{3}-\d+\b/g))].toSorted().join() === issues.toSorted().join()

/** An answer that nowhere says this. */
export const never = (pattern: RegExp) => new RegExp(`^(?![^]*(?:${pattern.source}))`, pattern.flags)
