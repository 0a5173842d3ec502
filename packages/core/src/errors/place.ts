import { truncate } from './text.ts'

/** Maximum length, in characters, of a path quoted in a message. */
const maxPath = 80

/** A problem's place in the arguments. Rows and items count from 1, as in errors about a row's references: `Row 3: "title"`. */
export function placeOf(path: readonly PropertyKey[], isRow = false): string {
  const at = path.findIndex((part) => typeof part === 'number')
  const name = `"${truncate((at < 0 ? path : path.slice(0, at)).map(String).join('.'), maxPath)}"`
  if (at < 0) return name
  const number = Number(path[at]) + 1
  const rest = path.slice(at + 1)
  if (rest.length > 0) return `Row ${number}: ${placeOf(rest, isRow)}`
  return isRow ? `Row ${number}` : `Item ${number}${at > 0 ? ` of ${name}` : ''}`
}
