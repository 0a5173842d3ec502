/**
 * Values that nobody meant. Whatever writes an id asks `isPlaceholder`: the tools for ids in their arguments, event-pipeline for those in
 * bodies (`userId`, `anonymousId`, `groupId`, `previousId`). Titles and texts may be such words, so nothing is refused for them.
 */

/** What programs print for a value that they do not have. */
const wordsForNothing = /^(?:undefined|null|none|nil|nan|\[object \w+\]|\(null\)|#n\/a|#ref!)$/

/** `{{id}}`, `{id}`, `${id}`, `$(id)`, `<id>`, `[[id]]`, `%s`, `%(id)s`, `%ID%`, `<%= id %>` and `$USER_ID` as the whole text. */
const template =
  /^(?:\{[^{}]*\}|\{\{[^{}]*\}\}|\{%[^{}]*%\}|\$\{[^{}]*\}|\$\([^()]*\)|\$[a-z_]\w*|<[^<>@]*>|\[\[[^[\]]*\]\]|%[sdif@v]|%\(\w+\)[sdif]|%\w+%)$/

/** Whether a text is white space, a word for nothing or a template that was not filled in. Case, blanks and quotes around it do not matter. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 200) return isBlank(text)
  const plain = text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, '$2')
    .trim()
    .toLowerCase()
  return isBlank(plain) || wordsForNothing.test(plain) || template.test(plain)
}

const blank = /^(?:(?:[\s\p{Cc}\p{Cf}]|\\[nrt]|&nbsp;|<br ?\/?>|<\/?p>)*|(["'`])\s*\1)$/iu

/** Whether a text shows nothing: it has only white space, characters of no width, escapes or tags of line breaks, or an empty quotation. */
export function isBlank(text: string): boolean {
  const plain = text.trim()
  return plain.length <= 1_000 && blank.test(plain)
}
