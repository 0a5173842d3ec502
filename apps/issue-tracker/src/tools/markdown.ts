/** A text as it is written, and what was mended in it. */
export interface Written {
  readonly text: string
  readonly notice?: string
}

/** What may hold a backslash and an n that mean just that: inline code, formulas, quoted words and Windows paths. */
const literal = [/(?<!`)`(?!`)[^`]+`(?!`)/, /\$(?!\s)[^$]+?(?<!\s)\$(?!\d)/, /"[^\s"]*"/, /(?<![A-Za-z])[A-Za-z]:\\\S*/, /\\\\\S+/]
const literalOrBreak = new RegExp([...literal.map(({ source }) => source), String.raw`(?:(?:\\r)?\\n)`].join('|'), 'g')

/**
 * Mends a text in which every line break arrived as a backslash and an n: Linear would show it in one line. Inline code, formulas,
 * quoted words and Windows paths stay as they are.
 */
export function written(text: string): Written {
  if (/[\n\r]/.test(text)) return { text }
  const mended = text.replaceAll(literalOrBreak, (part) => (/^(?:\\r)?\\n$/.test(part) ? '\n' : part))
  return mended === text
    ? { text }
    : { text: mended, notice: 'The text had "\\n" written out in place of line breaks; real ones were put there.' }
}
