import { badRequest } from '../refusals.ts'

/** What a request to an upload session says that it brings. */
export interface Brought {
  /** Where its bytes begin; null when it only asks how far the upload is. */
  readonly start: number | null
  readonly length: number
  /** How long the content is; null while the client does not know. */
  readonly total: number | null
}

/** Chunks are multiples of this, except for the last one. */
const unit = 262_144

/** Reads a `Content-Range`: https://developers.google.com/workspace/drive/api/guides/manage-uploads#uploading. */
export function parseContentRange(header: string | null, length: number): Brought {
  if (header === null) return { start: 0, length, total: length }
  const [, start, end, total] = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(header) ?? []
  if (total === undefined) throw bad('it cannot be read')
  const whole = total === '*' ? null : Number(total)
  if (start === undefined) {
    if (length > 0) throw bad('it names no bytes, yet there is a body')
    return { start: null, length: 0, total: whole }
  }
  const [from, to] = [Number(start), Number(end)]
  if (to - from + 1 !== length) throw bad('it names another number of bytes than the body has')
  if (whole !== null && to >= whole) throw bad('it goes beyond the end')
  const isLast = whole === to + 1
  if (!isLast && length % unit !== 0) throw bad(`all chunks but the last must be multiples of ${unit} bytes`)
  return { start: from, length, total: whole }
}

const bad = (why: string) => badRequest(`Bad Content-Range: ${why}.`)
