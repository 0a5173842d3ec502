import { Parser } from 'htmlparser2'
import { Refused } from '../outcome.ts'

const maxDepth = 256

export interface XmlReader {
  /** Elements to skip with all their content, by name without prefix. */
  readonly skipped?: ReadonlySet<string>
  readonly open?: (name: string, attribute: (name: string) => string | undefined) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

/** Reads XML piece by piece. The parser knows only XML's own entities. Throws `Refused` if it is nested too deeply, or cut off. */
export async function readXml(pieces: AsyncIterable<Uint8Array>, reader: XmlReader): Promise<void> {
  const { skipped, open, close, text } = reader
  let depth = 0
  /** Depth of the element being skipped; 0 if there is none. */
  let skippedAt = 0
  const parser = new Parser(
    {
      onopentag(qualified, attributes) {
        depth += 1
        if (depth > maxDepth) throw new Refused('too_large')
        if (skippedAt > 0) return
        const name = localName(qualified)
        if (skipped?.has(name) === true) skippedAt = depth
        else open?.(name, (wanted) => attributeOf(attributes, wanted))
      },
      onclosetag(qualified) {
        if (skippedAt === 0) close?.(localName(qualified))
        else if (skippedAt === depth) skippedAt = 0
        depth -= 1
      },
      ontext(piece) {
        if (skippedAt === 0) text?.(piece)
      },
    },
    { xmlMode: true },
  )
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(piece[0] === 0xff ? 'utf-16le' : piece[0] === 0xfe ? 'utf-16be' : 'utf-8', { fatal: true })
    parser.write(decoder.decode(piece, { stream: true }))
  }
  if (depth > 0) throw new Refused('broken')
  parser.end()
}

/** Finds an attribute by its full name, or by its name without a prefix. */
function attributeOf(attributes: Readonly<Record<string, string>>, wanted: string): string | undefined {
  const found =
    Object.entries(attributes).find(([name]) => name === wanted) ?? Object.entries(attributes).find(([name]) => localName(name) === wanted)
  return found?.[1]
}
