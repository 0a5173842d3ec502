/** A text as it is written, and what was mended in it. */
export interface Written {
  readonly text: string
  readonly notice?: string
}

/** Mends a text in which every line break arrived as a backslash and an n: Linear would show it in one line. */
export function written(text: string): Written {
  if (/[\n\r]/.test(text) || !text.includes('\\n')) return { text }
  return {
    text: text.replaceAll('\\r\\n', '\n').replaceAll('\\n', '\n'),
    notice: 'The text had "\\n" written out in place of line breaks; real ones were put there.',
  }
}

/** Several notices as one; nothing when there are none. */
export function noticeOf(...notices: readonly (string | undefined)[]): { notice?: string } {
  const said = notices.filter((notice) => notice !== undefined)
  return said.length === 0 ? {} : { notice: said.join(' ') }
}

/** Said of a create that turned out to have happened before. */
export function createdEarlier(earlier: boolean): string | undefined {
  return earlier ? 'An earlier attempt of this call had created it; it was not created again.' : undefined
}
