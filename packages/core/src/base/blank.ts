/** Excludes white space, zero-width characters, Hangul fillers and the empty Braille cell. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\uffa0\u2800]/u
const markupForNothing = /&nbsp;|&#160;|<br *\/?>|<\/?p>|\\[nrt]/gi
/** Most text begins with a visible character, so long text need not be read in full. */
const beginsVisibly = /^\s*[^\s<&\\"'`\p{C}\p{Z}\u115f\u1160\u3164\uffa0\u2800]/u

/**
 * True for text with nothing visible: only white space, zero-width characters, escapes or tags for line breaks, or empty quotation marks.
 */
export function isBlank(text: string): boolean {
  if (beginsVisibly.test(text)) return false
  const plain = text.replace(markupForNothing, '').trim()
  return !visible.test(plain) || /^(["'`])\s*\1$/.test(plain)
}
