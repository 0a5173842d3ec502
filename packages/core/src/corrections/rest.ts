import type { JsonObject } from '../base/json.ts'
import { joinWords, quote } from '../errors/text.ts'

/** The arguments with a change applied as a caller would apply it: null removes an argument. */
export function changed(args: JsonObject, change: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...args, ...change }).filter(([name]) => change[name] !== null))
}

const lead = 'The rest of the call, corrected'

/** The sentence with a call's arguments, and those left out, for a caller who accepts that the tool cannot do all that was asked. */
export const correctedRest = (args: JsonObject, left: readonly string[] = []): string =>
  `${lead}${left.length === 0 ? '' : ` and without ${joinWords(left.map((name) => quote(name, 80)))}`}: ${JSON.stringify(args)}.`

/** True for a sentence of `correctedRest`. */
export const isCorrectedRest = (text: string): boolean => text.startsWith(lead)
