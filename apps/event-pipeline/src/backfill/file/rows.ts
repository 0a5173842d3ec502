import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { InvalidInput } from '@mcp-toolkits/core/errors'
import type { Plan } from '../record.ts'

/** A row: its number, counted from 1, and its cells by column. Empty cells are omitted. */
export interface Row {
  readonly number: number
  readonly cells: JsonObject
  /** The file's columns, or only this row's if `hasOwnColumns`. */
  readonly columns: readonly string[]
  readonly hasOwnColumns: boolean
}

/** A file's row, or the problem that makes it unreadable. */
export type FileRow = Row | { readonly number: number; readonly problem: string }

/** Maximum length of a row, in characters: far more than the vendor accepts. */
const maxRowLength = 1_000_000

/** The rows in CSV or NDJSON text. Throws `InvalidInput` for text that is neither CSV nor NDJSON. */
export async function* readRows(pieces: AsyncIterable<string>, format: Plan['format']): AsyncGenerator<FileRow> {
  const iterator = pieces[Symbol.asyncIterator]()
  let head = ''
  while (!head.includes('\n') && head.length <= maxRowLength) {
    const next = await iterator.next()
    if (next.done === true) break
    head += next.value
  }
  async function* all(): AsyncGenerator<string> {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  const start = head.trimStart()
  if (start === '') throw new InvalidInput('The file is empty.')
  if (format !== 'csv' && start.startsWith('['))
    throw new InvalidInput('The file is a single JSON array. Write one object per line, without commas between them (NDJSON).')
  yield* (format ?? (start.startsWith('{') ? 'ndjson' : 'csv')) === 'ndjson' ? readNdjson(all()) : readCsv(all(), start)
}

async function* readNdjson(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let rest = ''
  let number = 0
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxRowLength) throw new InvalidInput(`Row ${number + lines.length + 1} has more than ${maxRowLength} characters.`)
    for (const line of lines) {
      number += 1
      if (line.trim() !== '') yield toRow(number, line)
    }
  }
  if (rest.trim() !== '') yield toRow(number + 1, rest)
}

function toRow(number: number, line: string): FileRow {
  const cells = parseJson(line)
  if (!isObject(cells)) return { number, problem: 'is not a JSON object.' }
  // Such numbers are rounded in parsing.
  if (/\d{16}|e\+?\d\d/i.test(line) && holdsRoundedNumber(cells))
    return { number, problem: 'contains a number above 2^53, which would be rounded: write it as text.' }
  return { number, cells, columns: Object.keys(cells), hasOwnColumns: true }
}

/** True for a number that differs from the text it was parsed from: an integer above 2^53, or infinity, which becomes null in JSON. */
export function holdsRoundedNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRoundedNumber)
}

/** The most frequent separator in the first line. */
function delimiterOf(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
  return counts.toSorted((one, other) => other.count - one.count)[0]?.delimiter ?? ','
}

/** Errors that hide where the next record begins. */
const fatal = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE'])

/** Reads CSV, whose first row contains the column names. */
async function* readCsv(pieces: AsyncIterable<string>, head: string): AsyncGenerator<FileRow> {
  const { parse, CsvError } = await import('csv-parse')
  const { Readable } = await import('node:stream')
  let number = 0
  let good = 0
  // The parser runs ahead of its reader, and reports each bad record with the count of good records before it.
  const skipped = new Map<string, { readonly after: number; readonly problem: string }>()
  const parser = parse({
    delimiter: delimiterOf(head),
    // Both line endings are accepted in one file; without either, the parser detects others.
    ...(head.includes('\n') && { record_delimiter: ['\r\n', '\n'] }),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (!error) return undefined
      const { code, records, lines } = error
      if (fatal.has(code)) throw error
      skipped.set(`${String(records)} ${String(lines)}`, { after: Number(records), problem: `is not valid CSV (${code}).` })
      return undefined
    },
  })
  function* skippedBefore(records: number): Generator<FileRow> {
    for (const [key, { after, problem }] of skipped) {
      if (after >= records) continue
      skipped.delete(key)
      number += 1
      yield { number, problem }
    }
  }
  const isHeaderSkipped = () => [...skipped.values()].some(({ after }) => after === 0)
  const input = Readable.from(pieces)
  input.on('error', (error) => parser.destroy(error))
  let columns: string[] | undefined
  try {
    const records: AsyncIterable<string[]> = input.pipe(parser)
    for await (const record of records) {
      good += 1
      if (!columns && isHeaderSkipped()) throw badHeader()
      yield* skippedBefore(good)
      number += 1
      if (columns) yield toCells(number, columns, record)
      else columns = checkColumns(record)
    }
    if (!columns && isHeaderSkipped()) throw badHeader()
    yield* skippedBefore(Infinity)
  } catch (error) {
    if (error instanceof CsvError) throw new InvalidInput(`The file is not valid CSV: ${error.message}. Nothing was sent.`)
    throw error
  } finally {
    input.destroy()
  }
}

const badHeader = () => new InvalidInput('The first row, which names the columns, is not valid CSV. Nothing was sent.')

function checkColumns(record: readonly string[]): string[] {
  const columns = record.map((name) => name.trim())
  const repeated = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index)
  if (repeated !== undefined) throw new InvalidInput(`Two columns are called ${JSON.stringify(repeated)}. Rename one.`)
  return columns
}

function toCells(number: number, columns: readonly string[], record: readonly string[]): FileRow {
  if (record.length !== columns.length)
    return { number, problem: `has ${record.length} cells; the first row names ${columns.length} columns.` }
  const cells: Record<string, unknown> = {}
  for (const [index, cell] of record.entries()) if (cell.trim() !== '') cells[columns[index] ?? ''] = cell
  return { number, cells, columns, hasOwnColumns: false }
}
