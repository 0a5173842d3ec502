/** A value in quotation marks, cut to `max` characters, for messages. */
export function quote(value: string, max = 100): string {
  return JSON.stringify(truncate(value, max))
}

/** A text of at most `max` characters; one that was cut ends in an ellipsis. Characters outside the basic plane stay whole. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max
  return `${text.slice(0, end)}…`
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1)
  if (last === undefined || words.length === 1) return last ?? ''
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}

/** `1 file`, `3 files`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
