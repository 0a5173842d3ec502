import { hash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '@mcp-toolkits/core/base'
import { InvalidInput, quote, TooLarge } from '@mcp-toolkits/core/errors'
import { maxCallBytes, maxPartBytes } from '../../pipelines/body/limits.ts'
import { itemFindings } from '../../pipelines/findings/findings.ts'
import { destructionBy } from '../../pipelines/findings/reserved-events.ts'
import { placeholdersIn } from '../../pipelines/findings/implausible.ts'
import { type MappedRow, mapperOf, missingColumns, type RowMapper, unknownColumns } from './mapping.ts'
import { Occurrences } from './occurrences.ts'
import { Problems, readRanges } from '../problems.ts'
import type { Plan, Progress } from '../record.ts'
import { type FileRow, readRows, type Row } from './rows.ts'
import type { SourceText } from './source.ts'

/** Maximum number of rows in a file: each row's hash takes up to 14 bytes while the file is read. */
const maxRows = 5_000_000

/** Maximum number of bytes of a request without its calls, of an id that we add to a call, and of the member name of a call's own id. */
const envelopeBytes = 200
const idBytes = 60
const idNameBytes = 13

/** Maximum number of columns to remember while some mapped columns are missing. */
const maxKnown = 1_000

/** Number of rows to show as the calls that they become. */
const sampleRows = 5

export interface ReadOptions {
  readonly plan: Plan
  readonly source: SourceText
  /** Timestamp for rows that lack one. */
  readonly now: number
  readonly signal: AbortSignal
  /** Stores the rows of one request: each line contains a row's number, identity and call. */
  readonly onPart: (number: number, lines: Uint8Array) => Promise<void>
  /** Called after each row, with the number of rows so far. Return true to stop reading there. */
  readonly isEnough?: (rows: number) => boolean
}

export interface ReadFile {
  readonly progress: Omit<Progress, 'accepted' | 'sentMs' | 'attempts'>
  readonly parts: number
  /** False if reading ended before the end of the file. */
  readonly isWhole: boolean
  readonly sample: readonly { readonly row: number; readonly call: JsonObject }[]
}

/** Reads a file, checks each row and puts the valid rows into requests. Throws for a file that cannot be read. */
export async function readFile({ plan, source, now, signal, onPart, isEnough }: ReadOptions): Promise<ReadFile> {
  const reader = new RowReader(plan, now)
  const part = new Part()
  let [parts, rows] = [0, 0]
  let isWhole = true
  const flush = async () => {
    const lines = part.take()
    if (lines) await onPart(parts++, lines)
  }
  for await (const row of readRows(source.pieces, plan.format)) {
    signal.throwIfAborted()
    const line = reader.read(row)
    if (isEnough?.((rows += 1)) === true) {
      isWhole = false
      break
    }
    if (line === undefined || part.add(line)) continue
    await flush()
    part.add(line)
  }
  await flush()
  if (isWhole) reader.checkAll()
  const { count: read, refused, untimed, sample } = reader
  return { progress: { read, refused, untimed, problems: reader.problems.list(), digest: source.digest() }, parts, isWhole, sample }
}

function wantedRows(rows: string): readonly [number, number][] {
  const { ranges, others } = readRanges(rows)
  const [other] = others
  if (other !== undefined)
    throw new InvalidInput(
      `rows has ${quote(other)}, which is neither a row nor a range of rows. Write it like this: "4,7-9". Nothing was sent.`,
    )
  return ranges
}

/** A row's own id; an empty id does not count. */
const ownId = (id: unknown): string | undefined => (typeof id === 'string' && id !== '' ? id : undefined)

/** Hashes a call; the order of its members does not matter. */
const hashOf = (call: JsonObject): string => hash('sha256', canonicalJson(call, 'kept'), 'hex')

/** One request's rows, as bytes, because strings that live as long as a request would fill the process's memory. */
class Part {
  readonly #bytes = Buffer.allocUnsafe(maxPartBytes)
  #length = 0
  #rows = 0

  /** Adds a row; false if it would make the request too large. */
  add(line: string): boolean {
    const sent = envelopeBytes + this.#length + this.#rows * idBytes
    if (sent + Buffer.byteLength(line) + idBytes > maxPartBytes) return false
    this.#length += this.#bytes.write(`${line}\n`, this.#length)
    this.#rows += 1
    return true
  }

  /** Takes the rows, which are valid until the next row is added, and empties the part. */
  take(): Buffer | undefined {
    const taken = this.#rows === 0 ? undefined : this.#bytes.subarray(0, this.#length - 1)
    this.#length = 0
    this.#rows = 0
    return taken
  }
}

class RowReader {
  readonly #plan: Plan
  readonly #timestamp: string
  readonly #wanted: readonly [number, number][] | undefined
  readonly #seen = new Occurrences()
  #columns: readonly string[] | undefined
  #mapper: RowMapper | undefined
  /** Columns that the mapping names but that no row has contained yet, and the columns found in rows. */
  #missing: readonly string[] = []
  readonly #known = new Set<string>()
  readonly problems = new Problems()
  readonly sample: { row: number; call: JsonObject }[] = []
  #last = 0
  count = 0
  refused = 0
  untimed = 0

  constructor(plan: Plan, now: number) {
    this.#plan = plan
    this.#timestamp = new Date(now).toISOString()
    this.#wanted = plan.rows === undefined ? undefined : wantedRows(plan.rows)
  }

  /** A row as stored; undefined for a row that is not sent. */
  read(row: FileRow): string | undefined {
    const { number } = row
    this.#last = number
    if (this.#wanted && !this.#wanted.some(([from, to]) => from <= number && number <= to)) {
      if ('cells' in row) this.#pass(this.#mapperFor(row).map(row.cells))
      return undefined
    }
    this.count += 1
    if (this.count > maxRows) throw new TooLarge(`The file has more than ${maxRows} rows. Nothing was sent. Split it.`)
    if ('problem' in row) return this.#refuse(number, [{ at: '', problem: row.problem }])
    const { item, problems } = this.#mapperFor(row).map(row.cells)
    if (this.sample.length < sampleRows) this.sample.push({ row: number, call: item })
    const destroys = destructionBy(item)
    const findings = [...placeholdersIn(item), ...itemFindings(item, undefined), ...(destroys ? [destroys] : [])]
    for (const { at, problem, isFault } of findings) if (!isFault) this.problems.add(number, { at, problem, isRefused: false })
    const faults = [...problems, ...findings.filter(({ isFault }) => isFault)]
    if (faults.length > 0) return this.#refuse(number, faults)
    return this.#write(number, item)
  }

  /** Throws for a file that cannot be the intended one. */
  checkAll(): void {
    if (this.#missing.length > 0) throw unknownColumns(this.#missing, [...this.#known])
    if (this.count > 0) return
    if (this.#last === 0) throw new InvalidInput('The file has no rows after its column names. Nothing was sent.')
    throw new InvalidInput(`The file has none of the rows ${this.#plan.rows ?? ''}: its last row is ${this.#last}. Nothing was sent.`)
  }

  /** A row's mapper. With a mapping, the mapper is the same for all rows, and each mapped column must occur in at least one row. */
  #mapperFor({ columns, hasOwnColumns }: Row): RowMapper {
    const isFirst = !this.#mapper
    const isSame = this.#columns === columns || this.#plan.call === undefined || this.#plan.mapping !== undefined
    if (!this.#mapper || !isSame) this.#mapper = mapperOf(this.#plan, columns)
    this.#columns = columns
    if (isFirst) this.#missing = this.#mapper.columns
    if (this.#missing.length === 0) return this.#mapper
    this.#missing = missingColumns(this.#missing, columns)
    if (this.#missing.length > 0 && !hasOwnColumns) throw unknownColumns(this.#missing, columns)
    for (const name of columns) if (this.#known.size < maxKnown) this.#known.add(name)
    return this.#mapper
  }

  /** Counts a skipped row, so that equal rows are numbered as they would be if the whole file were sent. A refused row gets no number. */
  #pass({ item, problems }: MappedRow): void {
    if (problems.length > 0) return
    const { messageId, ...rest } = item
    if (ownId(messageId) === undefined && typeof rest['timestamp'] === 'string') this.#seen.add(hashOf(rest))
  }

  #write(number: number, item: JsonObject): string | undefined {
    const { messageId: given, ...rest } = item
    const messageId = ownId(given)
    const json = JSON.stringify(rest)
    const isTimed = typeof item['timestamp'] === 'string'
    // Equal rows with the same time are distinguished by their order. Without a time, equal rows in two files may be two different events.
    const content = messageId !== undefined ? hash('sha256', messageId, 'hex') : isTimed ? hashOf(rest) : ''
    const repeats = content === '' ? 0 : this.#seen.add(content)
    if (messageId !== undefined && repeats > 0)
      return this.#refuse(number, [{ at: 'messageId', problem: 'repeats the messageId of an earlier row, so Customer.io would drop it.' }])
    if (!isTimed) this.untimed += 1
    const sent = isTimed ? json : `${json.slice(0, -1)},"timestamp":"${this.#timestamp}"}`
    const identity = messageId !== undefined ? JSON.stringify(messageId) : isTimed ? `${content}.${repeats}` : '-'
    if (Buffer.byteLength(sent) + Math.max(idBytes, Buffer.byteLength(identity) + idNameBytes) > maxCallBytes)
      return this.#refuse(number, [{ at: '', problem: 'takes more than 32 KB as a call.' }])
    return `${number}\t${identity}\t${sent}`
  }

  #refuse(number: number, faults: readonly { readonly at: string; readonly problem: string }[]): string | undefined {
    this.refused += 1
    for (const { at, problem } of faults) this.problems.add(number, { at, problem, isRefused: true })
    return undefined
  }
}
