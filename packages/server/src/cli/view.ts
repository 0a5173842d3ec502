import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { count, printable, printableLine, redact } from '@mcp-toolkits/core/errors'

type Format = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'

/** Renders records for a person, with the terminal's width, and its colours if it has any. */
export class View {
  readonly #stream: Writable
  readonly width: number

  constructor(stream: Writable) {
    this.#stream = stream
    this.width = widthOf(stream)
  }

  /** Text in a colour, unless the terminal has none or `NO_COLOR` is set. */
  style(format: Format | readonly Format[], text: string): string {
    return text === '' ? '' : styleText(typeof format === 'string' ? format : [...format], text, { stream: this.#stream })
  }

  /** A record as lines: its lists of records as tables, records with long text one by one, other fields by name. */
  record(data: JsonObject, depth = 0): string[] {
    const entries = Object.entries(data).filter(([, value]) => value !== null && value !== undefined)
    const isShort = ([, value]: readonly [string, unknown]) => isScalar(value) || (depth > 0 && labelOf(value) !== undefined)
    const short = entries.filter(isShort)
    const column = Math.max(0, ...short.map(([name]) => columnsOf(shown(name))))
    const indent = '  '.repeat(depth)
    return entries.flatMap((entry) => {
      const [name, value] = entry
      const heading = this.style('cyan', shown(name))
      if (isShort(entry)) return this.#field({ name, text: cellOf(value), column, indent })
      if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return [`${indent}${heading}: none`]
      const body = this.#body(value, depth + 1)
      return depth === 0
        ? [...(entry === entries[0] ? [] : ['']), this.style('bold', shown(name)), ...body]
        : [`${indent}${heading}:`, ...body]
    })
  }

  /** A name and its value, perhaps on several lines. */
  #field({ name, text, column, indent }: { name: string; text: string; column: number; indent: string }): string[] {
    const lines = text.split('\n').flatMap((line) => wrap(line, Math.max(20, this.width - indent.length - column - 2)))
    const [first = '', ...more] = lines
    const rest = more.map((line) => ' '.repeat(indent.length + column + 2) + line)
    return [`${indent}${this.style('cyan', pad(shown(name), column))}  ${first}`, ...rest]
  }

  #body(value: unknown, depth: number): string[] {
    const indent = '  '.repeat(depth)
    if (isObject(value)) {
      return depth > maxDepth ? indented(JSON.stringify(value, null, 2), indent) : this.record(value, depth)
    }
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    const rows = items.filter(isObject)
    if (rows.length === items.length && rows.length > 0 && depth <= maxDepth) {
      const hasLongText = depth > 1 && rows.some((row) => Object.values(row).some((cell) => columnsOf(cellOf(cell)) > maxCell))
      return hasLongText ? rows.flatMap((row, index) => [...(index > 0 ? [''] : []), ...this.record(row, depth)]) : this.table(rows, indent)
    }
    return items.map((item) => `${indent}- ${cellOf(item).replaceAll('\n', `\n${indent}  `)}`)
  }

  /** Records as a table as wide as the terminal. Columns that do not fit are left out, and the last line says so. */
  table(rows: readonly JsonObject[], indent = ''): string[] {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== null)))]
    const columns = names.map((name) => {
      const cells = rows.map((row) => cellOf(row[name]).replaceAll('\n', ' '))
      return { name, cells, width: Math.min(isId(name) ? Infinity : maxCell, Math.max(columnsOf(shown(name)), ...cells.map(columnsOf))) }
    })
    const room = this.width - indent.length
    const fitting = fit(columns, room)
    const line = (cells: readonly string[]) =>
      indent +
      cells
        .map((text, index) => pad(cut(text, fitting[index]?.width ?? 0), fitting[index]?.width ?? 0))
        .join('  ')
        .trimEnd()
    const left = names.length - fitting.length
    return [
      indent + fitting.map(({ name, width }) => this.style('bold', pad(cut(shown(name), width), width))).join('  '),
      ...rows.map((_, row) => line(fitting.map(({ cells }) => cells[row] ?? ''))),
      ...(left > 0 ? [this.style('dim', `${indent}(${count(left, 'more column')}: --json shows everything)`)] : []),
    ]
  }
}

/** Width of a table's cell, in columns: maximum; before columns are left out; minimum. */
const maxCell = 60
const wantedCell = 32
const minCell = 12

/** Number of columns to show before longer text gets more room. */
const fewColumns = 4

/** Maximum depth of a record; deeper ones are shown as JSON. */
const maxDepth = 3

interface Column {
  readonly name: string
  readonly cells: readonly string[]
  readonly width: number
}

/** True for the name of an id, which is useless if cut. */
const isId = (name: string) => /(?:^|_)(?:id|identifier)$/.test(name)

/**
 * The columns that fit into `room`: first the widest is cut somewhat, then the least informative are left out, then the widest is cut
 * further. Ids are shown whole or not at all.
 */
function fit(all: readonly Column[], room: number): Column[] {
  const columns = all.map((column) => ({ ...column }))
  for (;;) {
    const excess = columns.reduce((sum, { width }) => sum + width + 2, -2) - room
    const widest = columns.reduce((most, column) => (column.width > most.width && !isId(column.name) ? column : most), { width: 0 })
    const least = leastOf(columns)
    const narrowest = least === undefined && columns.length <= fewColumns ? minCell : wantedCell
    if (excess <= 0) return columns
    if (widest.width > narrowest) widest.width = Math.max(narrowest, widest.width - excess)
    else if (columns.length === 1) return columns
    else columns.splice(least ?? (columns.length <= fewColumns && columns[0]?.name === 'id' ? 0 : columns.length - 1), 1)
  }
}

/** The column to leave out first: an address, an id or a date, but not the first column; undefined if there is none. */
function leastOf(columns: readonly Column[]): number | undefined {
  const found = [/url$/, /(?:^|_)id$/, /_at$/].map((pattern) => columns.findLastIndex(({ name }, index) => index > 0 && pattern.test(name)))
  return found.find((index) => index > 0)
}

/** Text for a terminal, on one line: without secrets, and with control characters made visible. */
const shown = (text: string) => printableLine(redact(text))

const isScalar = (value: unknown) =>
  typeof value !== 'object' || (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))

/** The few fields that name a record. */
const labels = ['identifier', 'name', 'title', 'key', 'email', 'value', 'id']

function labelOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const label = labels.find((name) => typeof value[name] === 'string' && value[name] !== '')
  return label === undefined ? undefined : String(value[label])
}

/** A value's text in a table, perhaps on several lines. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return printable(redact(value)).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z$/, '$1 $2 UTC')
  if (Array.isArray(value)) return value.map(cellOf).join(', ')
  return printable(redact(labelOf(value) ?? JSON.stringify(value)))
}

function indented(text: string, indent: string): string[] {
  return printable(redact(text))
    .split('\n')
    .map((line) => indent + line)
}

/** Width of text when there is no terminal, and its maximum width on a terminal, because longer lines are hard to read. */
const usualWidth = 100

/** The width of text on a stream, in columns. */
export function widthOf(stream: Writable): number {
  const columns = 'columns' in stream && typeof stream.columns === 'number' && stream.columns > 0 ? stream.columns : usualWidth
  return Math.max(40, Math.min(columns, usualWidth))
}

/** Characters that take two terminal columns. */
const wide = /[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u
const segmenter = new Intl.Segmenter()

/** Terminal columns that text without control characters takes. */
export function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0)
}

/** Pads the text with spaces to a number of columns. */
function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/** The beginning of the text that fits into a number of columns, ending in an ellipsis if it was cut. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let shown = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    used += columnsOf(segment)
    if (used >= columns) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/** The text in lines of at most `columns`, divided at spaces; a longer word gets its own line. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > columns) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}
