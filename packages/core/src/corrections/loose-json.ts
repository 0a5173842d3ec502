import { parseJson } from '../base/json.ts'

/** Maximum length of text to read, in UTF-16 units: a correction of longer text could not be shown. */
export const maxLooseLength = 65_536

/** Strings, and the marks and words of other notations. An unterminated string is matched too, so that nothing is read twice. */
const tokens =
  /"(?:[^"\\]|\\.)*"?|'((?:[^'\\]|\\.)*)'?|\b(True|False|None)\b|\b([A-Za-z_]\w*)\b(?=\s*:)|\/\/[^\n]*|,(?=(?:\s|\/\/[^\n]*\n)*[}\]])/g
/** JSON's spelling of marks inside single-quoted text. Other escapes are left unchanged; parsing refuses those unknown to JSON. */
const marks: Readonly<Record<string, string>> = { "\\'": "'", '"': String.raw`\"`, '\n': String.raw`\n` }

/** Reads text that is not quite JSON; undefined if it is still invalid, or has a number that a double cannot represent. */
export function readLooseJson(text: string, isInner = false): unknown {
  if (text.length > maxLooseLength) return undefined
  const fenced = withoutFence(text)
  const bare = fenced.includes('"') ? fenced : fenced.replace(/[“”]/g, '"')
  const json = parseJson(bare) === undefined ? bare.replace(tokens, toJson) : bare
  const value = parseJson(json)
  if (value === undefined || hasInexactNumber(json)) return undefined
  return typeof value === 'string' && !isInner ? readLooseJson(value, true) : value
}

function toJson(token: string, text?: string, literal?: string, name?: string): string {
  if (text !== undefined) return `"${text.replace(/\\.|["\n]/g, (mark) => marks[mark] ?? mark)}"`
  if (name !== undefined) return JSON.stringify(name)
  if (literal !== undefined) return literal === 'None' ? 'null' : literal.toLowerCase()
  return token.startsWith('"') ? token.replaceAll('\n', '\\n') : ''
}

/** The text without a byte order mark; only the content of a single code fence or of surrounding backticks, if any. */
function withoutFence(text: string): string {
  const fences = [...text.replaceAll('~~~', '```').matchAll(/```[a-z0-9]*\s([^`]*)```/gi)]
  const [, fenced = text] = (fences.length === 1 ? fences[0] : /^\s*`([^`]+)`\s*$/.exec(text)) ?? []
  return fenced.replace(/^\uFEFF/, '').trim()
}

/** True if the JSON has a number that parsing would round. */
function hasInexactNumber(json: string): boolean {
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/\d[\d.]{15,}/g) ?? []
  return numbers.some((number) => !Number.isSafeInteger(Number(number)))
}
