import { isObject, jsonBytes, type JsonObject } from '@mcp-toolkits/core/base'
import { count, firstCharacters, joinWords, truncate } from '@mcp-toolkits/core/errors'

/** Lengths, in characters, to which text is cut step by step until the result fits. */
const textLengths = [60_000, 20_000, 5_000, 1_000, 200] as const
/** Length above which text is cut before rows are omitted; shorter text is cut only if a list could otherwise show no rows. */
const wholeText = 5_000
const noticeBytes = 1_000

/** The rows of a list that continues with a cursor. */
export interface CursorList {
  readonly name: string
  /** The cursor that continues after the first `count` rows. */
  readonly cursorAt: (count: number) => string
}

export interface FitOptions {
  readonly maxBytes: number
  readonly list?: CursorList | undefined
  /** Sentence on how to read the rest or ask for less. */
  readonly narrowing?: string | undefined
}

/**
 * The same result in at most `maxBytes`. A list with a cursor ends at the last row that fits. Otherwise, long text is cut, then lists: rows
 * of outer lists have precedence, and sibling lists take turns. Undefined if the result still does not fit.
 */
export function fitResult(data: JsonObject, { maxBytes, list, narrowing }: FitOptions): JsonObject | undefined {
  const budget = maxBytes - noticeBytes
  const { page, said } = (list && firstRows(data, list, budget)) ?? { page: data, said: [] }
  const advice = narrowing ?? (list ? '' : 'To get less, pass a smaller limit or more filters.')
  const explained = (result: JsonObject, cuts: readonly string[]) =>
    withNotice(result, `This result was shortened to ${maxBytes} bytes: ${joinWords([...said, ...cuts])}. ${advice}`.trim())
  if (jsonBytes(page) <= budget) return explained(page, [])
  for (const length of textLengths) {
    const texts = new TextCutter(length)
    const cut = texts.cutIn(page)
    if (jsonBytes(cut) <= budget) return explained(cut, texts.said())
    const filled = length <= wholeText ? fillLists(cut, budget) : undefined
    if (filled && (filled.hasRows || length === textLengths.at(-1))) return explained(filled.result, [...texts.said(), ...filled.said])
  }
  return undefined
}

/** The data with as many rows as fit, but at least one, and the cursor after them. Undefined if no row can be omitted. */
function firstRows(data: JsonObject, { name, cursorAt }: CursorList, budget: number) {
  const rows = data[name]
  if (!Array.isArray(rows) || rows.length < 2) return undefined
  const pagination = (count: number) => ({ has_more: true, end_cursor: cursorAt(count) })
  const empty = { ...data, [name]: [] }
  let free = budget - Math.max(jsonBytes(empty), jsonBytes({ ...empty, pagination: pagination(rows.length) }))
  const excess = rows.findIndex((row) => (free -= jsonBytes(row) + 1) < 0)
  const kept = Math.max(1, excess)
  if (excess === -1 || kept === rows.length) return undefined
  const page = { ...data, [name]: rows.slice(0, kept), pagination: pagination(kept) }
  return { page, said: [`${name} has the first ${kept} of ${rows.length}, and end_cursor continues right after them`] }
}

function withNotice(data: JsonObject, notice: string): JsonObject {
  const { notices, ...rest } = data
  return { notices: [notice, ...(Array.isArray(notices) ? notices.map(String) : [])], ...rest }
}

/** Cuts long text, and marks each cut. */
class TextCutter {
  readonly #length: number
  #cuts = 0

  constructor(length: number) {
    this.#length = length
  }

  said(): readonly string[] {
    return this.#cuts === 0 ? [] : [`${count(this.#cuts, 'text field')} cut short (see truncated and total_characters)`]
  }

  cutIn(object: JsonObject): JsonObject {
    let total = 0
    const members = Object.entries(object).map(([name, value]): [string, unknown] => {
      if (typeof value !== 'string') return [name, ['notices', 'pagination'].includes(name) ? value : this.#cut(value)]
      const { text, total: characters } = firstCharacters(value, this.#length)
      if (text.length < value.length) {
        this.#cuts += 1
        total = Math.max(total, characters)
      }
      return [name, text]
    })
    // Text that was already cut comes with its original length.
    const marks = total === 0 ? {} : { truncated: true, total_characters: object['total_characters'] ?? total }
    return { ...Object.fromEntries(members), ...marks }
  }

  #cut(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#cut(item))
    if (typeof value === 'string') return truncate(value, this.#length)
    return isObject(value) ? this.cutIn(value) : value
  }
}

/** A list of objects, filled row by row. */
interface OpenList {
  readonly name: string
  readonly holder: Record<string, unknown>
  readonly items: readonly JsonObject[]
  readonly kept: JsonObject[]
}

/** Fills the lists in a result level by level, so that no nested row is kept without the row that contains it. */
function fillLists(data: JsonObject, budget: number) {
  const all: OpenList[] = []
  const result = emptied(data, all)
  const top = all.slice()
  let free = budget - jsonBytes(result) - markBytes(all)
  if (free < 0) return undefined
  for (let level: readonly OpenList[] = top; level.length > 0;) {
    const below: OpenList[] = []
    const keepNext = ({ items, kept }: OpenList) => {
      const item = items[kept.length]
      if (!item) return false
      const lists: OpenList[] = []
      const row = emptied(item, lists)
      const bytes = jsonBytes(row) + 1 + markBytes(lists)
      if (bytes > free) return false
      free -= bytes
      kept.push(row)
      below.push(...lists)
      return true
    }
    for (let open = level; open.length > 0;) open = open.filter(keepNext)
    all.push(...below)
    level = below
  }
  const cut = all.filter(({ items, kept }) => kept.length < items.length)
  for (const { holder, name } of cut) if (holder !== result || !('pagination' in result)) holder[`has_more_${name}`] = true
  if (cut.length > 0 && isObject(result['pagination'])) result['pagination'] = { ...result['pagination'], has_more: true }
  return { result, said: sayCuts(cut), hasRows: top.every(({ kept }) => kept.length > 0) }
}

/** A copy in which each list of objects is empty, to be filled through `lists`. */
function emptied(value: JsonObject, lists: OpenList[]): Record<string, unknown> {
  const holder: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member) && member.length > 0 && member.every(isObject)) {
      const kept: JsonObject[] = []
      lists.push({ name, holder, items: member, kept })
      holder[name] = kept
    } else holder[name] = isObject(member) ? emptied(member, lists) : member
  }
  return holder
}

function markBytes(lists: readonly OpenList[]): number {
  return lists.reduce((sum, { name }) => sum + name.length + '"has_more_":true,'.length, 0)
}

/** One sentence for each list name, with the number of rows kept in all cut lists with that name. */
function sayCuts(cut: readonly OpenList[]): readonly string[] {
  const names = [...new Set(cut.map(({ name }) => name))]
  return names.map((name) => {
    const lists = cut.filter((list) => list.name === name)
    const sum = (of: 'items' | 'kept') => lists.reduce((total, list) => total + list[of].length, 0)
    const where = lists.length === 1 ? '' : ` in ${lists.length} places (has_more_${name})`
    return `${name} has the first ${sum('kept')} of ${sum('items')}${where}`
  })
}
