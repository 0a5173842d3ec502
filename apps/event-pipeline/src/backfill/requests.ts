import { hash } from 'node:crypto'

/** A stored row and its call's position. */
export interface StoredRow {
  readonly row: number
  readonly from: number
  readonly to: number
}

/** Maximum number of bytes by which a call is longer than its line. */
const addedBytes = 64

const [opening, closing] = [Buffer.from('{"batch":['), Buffer.from(']}')]
const [newLine, tab] = [0x0a, 0x09]

/**
 * A stored request's calls, with the ids that identify them at the vendor, as bytes: strings of that size would outlive the request and
 * fill the process's memory.
 */
export class StoredCalls {
  readonly rows: readonly StoredRow[]
  /** The request with all calls. */
  readonly #body: Buffer<ArrayBuffer>

  /** Reads the lines that `readFile` wrote. `content` identifies the file and its calls. */
  constructor(lines: Buffer, content: string) {
    const ends = lineEnds(lines)
    const bytes = Buffer.allocUnsafe(lines.byteLength + ends.length * addedBytes)
    const rows: StoredRow[] = []
    let written = opening.copy(bytes)
    let start = 0
    for (const end of ends) {
      const afterNumber = lines.indexOf(tab, start)
      const afterIdentity = lines.indexOf(tab, afterNumber + 1)
      const row = lines.toString('latin1', start, afterNumber)
      const id = idOf(lines.toString('utf8', afterNumber + 1, afterIdentity), `${content} ${row}`)
      if (rows.length > 0) written += bytes.write(',', written)
      const from = written
      // The closing brace comes after the id.
      written += lines.copy(bytes, written, afterIdentity + 1, end - 1)
      written += bytes.write(`,"messageId":${id}}`, written)
      rows.push({ row: Number(row), from, to: written })
      start = end + 1
    }
    written += closing.copy(bytes, written)
    this.rows = rows
    this.#body = bytes.subarray(0, written)
  }

  /** The request body with these consecutive rows. */
  bodyOf(rows: readonly StoredRow[]): Uint8Array<ArrayBuffer> {
    if (rows.length === this.rows.length) return this.#body
    return Buffer.concat([opening, this.#body.subarray(rows[0]?.from, rows.at(-1)?.to), closing])
  }
}

function lineEnds(lines: Buffer): number[] {
  const ends: number[] = []
  for (let end = lines.indexOf(newLine); end !== -1; end = lines.indexOf(newLine, end + 1)) ends.push(end)
  return [...ends, lines.byteLength]
}

/** The id in JSON: the caller's, or one derived from the row's identity. */
function idOf(identity: string, place: string): string {
  return identity.startsWith('"') ? identity : `"${uuidOf(identity === '-' ? place : identity)}"`
}

/** A hash in the form of a version 8 UUID: https://www.rfc-editor.org/rfc/rfc9562#section-5.8 */
function uuidOf(text: string): string {
  return hash('sha256', text, 'hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
