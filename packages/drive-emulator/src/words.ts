/** A text as Drive compares names: without regard to case. */
export const fold = (text: string): string => text.toLowerCase()

/** The words of a text, which a search looks at. */
export const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []

/** Words as they are stored: each between blanks, so that beginnings and phrases can be found. */
export const stored = (text: string): string => ` ${wordsOf(text).join(' ')} `

/** A name that sorts its numbers by size. */
export const natural = (name: string): string => fold(name).replace(/\d+/g, (number) => number.padStart(12, '0'))
