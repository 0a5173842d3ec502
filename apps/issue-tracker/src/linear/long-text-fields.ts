/**
 * Linear keeps two texts of a project or an initiative: `description`, a line of at most 255 characters, and `content`, the document.
 * How it counts is not documented, so the strictest way is kept to: UTF-16 units. linear.md §0
 */
const longestSummary = 255

/** The texts of something new. One short paragraph needs no document. */
export function newTextFields(text: string): { readonly description: string; readonly content?: string } {
  return isSummary(text) ? { description: text } : changedTextFields(text)
}

/** The texts of something that may have a document already: reading prefers it, so it is always written. */
export function changedTextFields(text: string): { readonly description: string; readonly content: string } {
  return { description: isSummary(text) ? text : summaryOf(text), content: text }
}

function isSummary(text: string): boolean {
  return text.length <= longestSummary && !/[\n\r]/.test(text)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The first line that says something, without the marks of a heading; cut between two characters, never within one. */
function summaryOf(text: string): string {
  const [line = ''] = /\S[^\n\r]*/.exec(text) ?? []
  const plain = line.replace(/^#{1,6}\s+/, '').trim()
  if (plain.length <= longestSummary) return plain
  let summary = ''
  for (const { segment } of graphemes.segment(plain.slice(0, 2 * longestSummary))) {
    if (summary.length + segment.length + 1 > longestSummary) break
    summary += segment
  }
  return `${summary.trimEnd()}…`
}
