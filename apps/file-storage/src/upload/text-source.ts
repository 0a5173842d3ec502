import { hash } from 'node:crypto'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import { InvalidInput, quote } from '@mcp-toolkits/core/errors'
import { typeByExtension } from './media-type.ts'

/** Content passed by the caller, presented as if a URL served it, so that both are uploaded in the same way. */
export interface TextSource {
  readonly sourceUrl: string
  readonly fetchSource: GuardedFetch
}

export function textSource(bytes: Uint8Array): TextSource {
  const md5 = hash('md5', bytes)
  const sourceUrl = `urn:md5:${md5}`
  const headers = new Headers({ etag: `"${md5}"`, 'content-length': String(bytes.byteLength) })
  const answer = () => ({ status: 200, headers, url: sourceUrl, body: ReadableStream.from(bytes.byteLength === 0 ? [] : [bytes.slice()]) })
  return { sourceUrl, fetchSource: () => Promise.resolve(answer()) }
}

/** The type of a text file, by its name. */
export const textTypeOf = (fileName: string) => typeByExtension(fileName) ?? 'text/plain'

/** Types whose files contain more than text. File names also count, because programs send CSV files as Excel and TypeScript as video. */
const binaryTypes =
  /^(?:image\/(?!svg)|audio\/(?!.*mpegurl)|video\/(?!mp2t|vnd\.dlna\.mpeg-tts)|font\/)|\b(?:pdf|zip|gzip|x-tar|rar|7z-compressed|msword|ms-excel|ms-powerpoint|officedocument|opendocument)\b/

interface TextTarget {
  readonly name: string
  /** The existing file's type. */
  readonly mimeType?: string
}

/** Throws `InvalidInput` for text in an Office file, a picture or the like, which no program could open. */
export function requireTextFile({ name, mimeType }: TextTarget, text: string): void {
  const types = [mimeType, typeByExtension(name)].filter((type) => type !== undefined)
  if (types.length === 0 || !types.every((type) => binaryTypes.test(type)) || text.startsWith('%PDF-')) return
  const type = mimeType ?? types.join('')
  const beside = `${name.replace(/\.\w+$/, '')}.md`
  throw new InvalidInput(
    mimeType === undefined
      ? `Text cannot be stored as ${type}: no program could open ${quote(name)}. Give it a text file's name, such as ${quote(beside)}, or pass source_url with the finished file. Nothing was written.`
      : `${quote(name)} is a file of type ${type}, which no program could open with text in it. Pass source_url with the finished file, or file_name for a text file beside it, such as ${quote(beside)}. Nothing was written.`,
    { sent: 'no', ...(mimeType === undefined && { next: { change: { file_name: beside } } }) },
  )
}
