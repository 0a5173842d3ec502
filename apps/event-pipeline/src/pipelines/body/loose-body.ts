import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { readLooseJson } from '@mcp-toolkits/core/references'

/** Maximum number of closing brackets to add or to drop. */
const maxClosers = 2

/**
 * Reads a body that is not quite JSON: a web form, YAML, loose notation, escaped quotation marks, one object per line, words around the
 * JSON, or the wrong number of closing brackets. Text that ends in any other way may have been cut off, so it stays unread.
 */
export function readLooseBody(text: string): unknown {
  const start = text.search(/[[{]/)
  const json = text.slice(start, Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1)
  const direct = readForm(text) ?? readLooseJson(text) ?? readMembers(text)
  if (direct !== undefined || start < 0 || json === '') return direct
  if (/^[[{]\s*\\"/.test(json)) return readLooseJson(`"${json}"`)
  const list = readLooseJson(`[${json.replace(/\}[ \t\r]*\n\s*\{/g, '},{')}]`)
  if (Array.isArray(list)) return list.length > 1 && list.every(isObject) ? list : isBetweenWords(text, json) ? list[0] : undefined
  return json === text.trim() ? readUnbalanced(json) : undefined
}

/** Reads a web form's text: `userId=ada&properties[plan]=pro`. Undefined if a name repeats. */
function readForm(text: string): JsonObject | undefined {
  const pairs = [...new URLSearchParams(/^[\w$.[\]%+-]+=[^\s"'{}=][^\s"'{}]*$/.test(text) ? text : '')]
  if (pairs.length === 0 || new Set(pairs.map(([path]) => path)).size < pairs.length) return undefined
  return pairs.reduce<JsonObject>((form, [path, value]) => {
    const [, name = path, member] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(path) ?? []
    return { ...form, [name]: member === undefined ? value : { ...(isObject(form[name]) && form[name]), [member]: value } }
  }, {})
}

/** Reads members without brackets: one in each line, as in YAML, or `plan=pro, seats=5`. */
function readMembers(text: string): JsonObject | undefined {
  const isInline = /^\s*[\w$.-]+ ?[=:] ?[^,;:=\n]+(?:[,;]\s*[\w$.-]+ ?[=:] ?[^,;:=\n]+)+$/.test(text)
  const lines = isInline
    ? text
        .trim()
        .split(/[,;]\s*/)
        .map((each) => each.replace(/ ?[=:] ?/, ': '))
    : text.trimEnd().split('\n')
  const written = lines.filter((line) => line.trim() !== '' && line.trim() !== '---')
  return written.length > 1 ? readBlock(written) : undefined
}

function readBlock(lines: readonly string[]): JsonObject | undefined {
  const members: [string, unknown][] = []
  for (let at = 0; at < lines.length;) {
    const [, indent, name = '', written = ''] = /^( *)([\w$.-]+):(| .*)$/.exec(lines[at]?.trimEnd() ?? '') ?? []
    const value = written.trim()
    if (indent === undefined || indent !== /^ */.exec(lines[0] ?? '')?.[0]) return undefined
    const end = lines.findIndex((line, index) => index > at && !line.startsWith(`${indent} `))
    const inner = lines.slice(at + 1, end < 0 ? lines.length : end)
    const held = inner.length > 0 ? readBlock(inner) : readScalar(value)
    if (held === undefined || (inner.length > 0 && value !== '')) return undefined
    members.push([name, held])
    at += 1 + inner.length
  }
  return new Set(members.map(([name]) => name)).size < members.length ? undefined : Object.fromEntries(members)
}

/** A value in YAML; a number only if no digit is lost. */
function readScalar(text: string): unknown {
  if (text === '' || /^(?:null|~)$/i.test(text)) return null
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return /^[[{"']/.test(text) ? readLooseJson(text) : String(Number(text)) === text ? Number(text) : text
}

/** True if there are only words around the JSON: a quotation mark or bracket there may belong to it. */
const isBetweenWords = (text: string, json: string) => !/["{}[\]]/.test(text.replace(json, ''))

/** Reads JSON that lacks closing brackets at its end, or has too many there. */
function readUnbalanced(json: string): unknown {
  const open = openBrackets(json)
  if (open.length > 0 && open.length <= maxClosers) return readLooseJson(json + open)
  const shorter = [json.slice(0, -1), json.slice(0, -2)].map((each) => (/[\]}]\s*$/.test(each) ? readLooseJson(each) : undefined))
  return shorter.find((each) => each !== undefined)
}

/** Reads a body as if only its closing brackets were missing, though more may have been cut off. */
export function completeBody(text: string): unknown {
  return text.trimStart().startsWith('{') ? readLooseJson(text + openBrackets(text)) : undefined
}

/** The closing brackets that JSON text lacks, innermost first. */
function openBrackets(json: string): string {
  const closers: string[] = []
  for (const [mark] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/g)) {
    if (mark === '{') closers.unshift('}')
    else if (mark === '[') closers.unshift(']')
    else if (mark === '}' || mark === ']') closers.shift()
  }
  return closers.join('')
}
