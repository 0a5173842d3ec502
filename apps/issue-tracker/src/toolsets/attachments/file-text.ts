import { count, InvalidInput, quote } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { readText, refusalReasons } from '@mcp-toolkits/documents'
import type { FileBytes } from '../../linear/files.ts'

/** Pictures that models accept, by their first bytes, because Linear serves whatever type the uploading client named. */
const pictures = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
] as const

/** Maximum size, in bytes, of a picture that models accept: 5 MB as base64. */
const maxPictureBytes = 3.75 * 1000 ** 2

interface NamedFile extends FileBytes {
  readonly name: string
}

/** The type of a picture to show to the model; undefined for other files. Throws `InvalidInput` for a picture that is too large. */
export function pictureType({ name, bytes }: NamedFile): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  const [type] = pictures.find(([, magic]) => magic.test(beginning)) ?? []
  if (type === undefined || bytes.byteLength <= maxPictureBytes) return type
  throw new InvalidInput(
    `${quote(name, 80)} is a picture of more than 3.75 MB, which is too large to show. A person can open it in Linear.`,
  )
}

interface Part {
  readonly offset: number
  readonly limit: number
}

/** Part of a file's text, cut at the end of a line. Throws `InvalidInput` for a file without text. */
export async function textPart({ name, bytes, mediaType }: NamedFile, { offset, limit }: Part, scope: CallScope) {
  const reading = await readText(bytes, { mediaType, name }, scope.signal)
  if ('refusal' in reading) throw new InvalidInput(`${quote(name, 80)} ${refusalReasons[reading.refusal]} A person can open it in Linear.`)
  const { length } = reading.text
  if (offset > length) throw new InvalidInput(`"offset" is ${offset}, past the end of the text: it has ${count(length, 'character')}.`)
  const text = reading.text.part(offset, limit)
  const next = offset + text.length
  return { text, offset, next_offset: next < length ? next : null, total_characters: length }
}
