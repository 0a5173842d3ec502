// Patterns for complete texts: nothing else may change.

const linesOf = (text: unknown) => String(text).replaceAll('\r\n', '\n').trimEnd()

/** Text with exactly these lines. */
export const lines = (expected: readonly string[]) => (text: unknown) => linesOf(text) === expected.join('\n')

/** The previous text with a passage replaced. */
export const replaced = (passage: string, by: string) => (text: unknown, before: unknown) =>
  linesOf(text) === linesOf(before).replace(passage, () => by)

/** The previous text with one more line. */
export const oneMoreLine = (line: RegExp) => (text: unknown, before: unknown) => {
  const [whole, former] = [linesOf(text), linesOf(before)]
  return whole.startsWith(`${former}\n`) && line.test(whole.slice(former.length).trim())
}

/** Text with these issue identifiers and no others, in any order. */
export const namesOnly = (issues: readonly string[]) => (text: unknown) =>
  [...new Set(String(text).match(/\b[A-Z]{3}-\d+\b/g))].toSorted().join() === issues.toSorted().join()

/** An answer that never says such a thing. */
export const never = (pattern: RegExp) => new RegExp(`^(?![^]*(?:${pattern.source}))`, pattern.flags)
