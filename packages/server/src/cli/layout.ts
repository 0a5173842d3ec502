import type { Writable } from 'node:stream'

/** How wide text may be where no terminal says it, and at most, because longer lines are hard to read. */
const usualWidth = 100

/** How many columns text on a stream may take. */
export function widthOf(stream: Writable): number {
  const columns = 'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0 ? stream.columns : usualWidth
  return Math.max(40, Math.min(columns, usualWidth))
}

/** Characters that take two columns of a terminal. */
const wide = /[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u
const segmenter = new Intl.Segmenter()

/** How many columns of a terminal a text takes that has no control characters. */
export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)
}

/** The text with spaces behind it, up to a number of columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/** The beginning of a text that fits into a number of columns; one that was cut ends in an ellipsis. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let shown = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    used += columnsOf(segment)
    if (used >= columns) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/** The text in lines of at most `columns`, divided at spaces; a longer word gets a line for itself. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > columns) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}
