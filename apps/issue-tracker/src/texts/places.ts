/** A place in text that may refer to something. */
export interface Place {
  /** `@name`, an identifier such as ENG-9, or a Linear page's URL without `https://`. */
  readonly kind: 'name' | 'issue' | 'page'
  readonly index: number
  readonly text: string
  /** A name and the next word, which may belong to it. */
  readonly longer?: string | undefined
}

/** Markdown that is not prose: inline code, links, tags, URLs, and backslash escapes. */
const literal = [
  /\\[^]/,
  /(?<!`)(?<ticks>`+)(?!`)[^]*?(?<!`)\k<ticks>(?!`)/,
  /!?\[[^[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\]|:\s*\S+)/,
  /<[a-z!/][^<>]*>/,
  /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}:\/\/\S+/,
  /(?:mailto:|www\.)\S+/,
]
const references = {
  page: /(?<![\w/.@-])linear\.app\/[\w-]+\/[a-z-]+\/\S+/u,
  name: /(?<=^|[\s(*_~"'“‘—–,:;|])@\p{L}[\p{L}\p{N}]*(?:[._-][\p{L}\p{N}]+)*(?![\p{L}\p{N}/@]|[._-]+[\p{L}\p{N}])/u,
  issue: /(?<![\p{L}\p{N}_/.@#:&=+-])[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,8}(?![\p{L}\p{N}_@/-]|\.[\p{L}\p{N}])/u,
} as const
const part = new RegExp(
  [...literal.map(({ source }) => source), ...Object.entries(references).map(([kind, { source }]) => `(?<${kind}>${source})`)].join('|'),
  'giu',
)

const nextWord = /^ [\p{L}\p{N}]+/u
const maxWord = 100

/** The places in Markdown prose that may refer to something. Code, links and URLs are skipped. */
export function placesIn(text: string): Place[] {
  return paragraphsIn(text).flatMap(({ index: start, text: paragraph }) =>
    [...paragraph.matchAll(part)].flatMap(({ index, groups = {} }) =>
      (['page', 'name', 'issue'] as const).flatMap((kind) => {
        const { [kind]: found } = groups
        // The regular expression ignores case because of schemes and tags.
        const isPlace = found !== undefined && (kind !== 'issue' || found === found.toUpperCase())
        if (!isPlace) return []
        const next = kind === 'name' ? nextWord.exec(paragraph.slice(index + found.length, index + found.length + maxWord)) : null
        return [{ kind, index: start + index, text: found, longer: next ? found + next[0] : undefined }]
      }),
    ),
  )
}

const fenceStart = /^(?:[\s>]|[-*+]\s|\d+[.)]\s)*(`{3,}(?=[^`]*$)|~{3,})/
const listItem = /^\s*(?:[-*+]|\d+[.)])\s/

/** The paragraphs of Markdown text, without code blocks. */
function paragraphsIn(text: string): { readonly index: number; text: string }[] {
  const found: { readonly index: number; text: string }[] = []
  let [index, isOpen, isInList] = [0, false, false]
  let fence: string | undefined
  for (const line of text.split(/(?<=\n)/)) {
    const at = index
    index += line.length
    const mark = fenceStart.exec(line)?.[1]
    const isCode = !isOpen && !isInList && /^(?: {4}|\t)/.test(line)
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim().replace(/^[\s>]+/, '') === mark) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (/\S/.test(line) && !isCode) {
      isInList = listItem.test(line) || (isInList && (isOpen || /^\s/.test(line)))
      const last = found.at(-1)
      if (isOpen && last) last.text += line
      else found.push({ index: at, text: line })
      isOpen = true
      continue
    }
    isOpen = false
  }
  return found
}
