import { NotFound, withDetails } from '../errors/errors.ts'
import { isBlank } from '../base/blank.ts'
import { isObject } from '../base/json.ts'
import { Message } from '../errors/message.ts'
import { joinWords, quote } from '../errors/text.ts'

/**
 * Values not meant literally. Code that writes an id checks `isPlaceholder`: the tools do so for ids in their arguments, event-pipeline for
 * ids in bodies (`userId`, `anonymousId`, `groupId`, `previousId`). Titles and texts may consist of such a word, so they are accepted.
 */

/** Text that programs print for a missing value. */
const wordsForNothing = /^(?:undefined|null|none|nil|nan|\[object \w+\]|\(null\)|#n\/a|#ref!)$/

/** `{{id}}`, `{id}`, `${id}`, `$(id)`, `<id>`, `[[id]]`, `%s`, `%(id)s`, `%ID%`, `<%= id %>` and `$USER_ID` as the whole text. */
const template =
  /^(?:\{[\w\s.-]*\}|\{\{[^{}]*\}\}|\{%[^{}]*%\}|\$\{[^{}]*\}|\$\([^()]*\)|\$[a-z_]\w*|<%?=?[\w .-]*%?>|\[\[[^[\]]*\]\]|%[sdif@v]|%\(\w+\)[sdif]|%\w+%)$/

/** True for white space, a word for nothing or an unfilled template. Case and surrounding blanks or quotes do not matter. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 200) return isBlank(text)
  const unquoted = text.trim().replace(/^(["'`])(.*)\1$/s, '$2')
  const plain = unquoted.trim().toLowerCase()
  return isBlank(plain) || wordsForNothing.test(plain) || template.test(plain)
}

/** Placeholders that people also write: a tag, a variable or an ordinary word. */
const isWrittenByPeople = /^(?:none|nil|[<%].*|\{[^{].*|\$\w+)$/i

/** A write's notice about text that may stand for a program's missing value. It is not an error: a title may consist of such text. */
export function placeholderNotice(args: unknown): string | undefined {
  const texts = placeholdersIn(args).filter(({ text }) => !isBlank(text) && !isWrittenByPeople.test(text.trim()))
  return texts.length > 0 ? `${describePlaceholders(texts)}. If it was not meant, change it.` : undefined
}

const nothing = /^(?:undefined|null|none|nil|nan|nothing|n\/a|unset|not set|-+)$/i
const anything = /^(?:any|anything|all|everything|\*)$/i

/** True for a word that callers write instead of leaving a parameter out. In an update, "all" may be meant literally. */
export function isFiller(value: unknown, isUpdate = false): boolean {
  return typeof value === 'string' && (nothing.test(value.trim()) || (!isUpdate && anything.test(value.trim())))
}

/** Advice for optional parameters that hold a filler. `isKept` is true if they cannot be cleared, although the filler may ask for that. */
export function leaveOut(names: readonly string[], isKept = false): Message {
  const list = joinWords(names.map((name) => quote(name)))
  return Message.of(`Leave ${list} out ${isKept ? 'to keep what is there; this tool cannot clear that' : 'if you have no value'}.`)
}

/** Adds a hint to the error for an unknown reference if the reference is a placeholder or, in an `optional` parameter, a filler. */
export function withPlaceholder(error: unknown, args: unknown, optional: readonly string[], isUpdate: boolean): unknown {
  if (!(error instanceof NotFound) || !isObject(args)) return error
  const isMissed = (value: unknown) => isFiller(value, isUpdate) && error.message.includes(quote(String(value)))
  const left = optional.filter((name) =>
    Array.isArray(args[name]) ? args[name].length > 0 && args[name].every(isMissed) : isMissed(args[name]),
  )
  const texts = placeholdersIn(args).filter(({ name, text }) => !(optional.includes(name) && isFiller(text)))
  const text = texts.length > 0 ? error.text.and(`${describePlaceholders(texts)}. Pass the value itself.`) : error.text
  if (left.length === 0) return withDetails(error, text, error.details)
  const suggestions = error.details.suggestions?.filter(({ parameter = '' }) => !left.includes(parameter)) ?? []
  const change = { ...error.details.next?.change, ...Object.fromEntries(left.map((name) => [name, null])) }
  return withDetails(error, text.and(leaveOut(left)), { ...error.details, suggestions, next: { change } })
}

function placeholdersIn(args: unknown): { readonly name: string; readonly text: string }[] {
  if (!isObject(args)) return []
  const texts = Object.entries(args).flatMap(([name, text]) => (typeof text === 'string' ? [{ name, text }] : []))
  return texts.filter(({ text }) => isPlaceholder(text)).slice(0, 5)
}

function describePlaceholders(texts: ReturnType<typeof placeholdersIn>): string {
  const list = joinWords(texts.map(({ name, text }) => `${name} is ${quote(text, 80)}`))
  return `${list}, which programs write for a value that they do not have`
}
