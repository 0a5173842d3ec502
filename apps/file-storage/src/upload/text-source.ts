import { hash } from 'node:crypto'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import { mediaTypeOf } from './media-type.ts'

/** A content that the caller has passed, in the form of one behind a URL, so that it is uploaded like any other. */
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

/** The type of a text, by the name of its file. */
export function textTypeOf(fileName: string, start: Uint8Array): string {
  const { type } = mediaTypeOf({ namedType: undefined, header: null, fileName, sourceUrl: '', finalUrl: '', start })
  return type === 'application/octet-stream' ? 'text/plain' : type
}
