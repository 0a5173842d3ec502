import { TooLarge } from '@mcp-toolkits/core/errors'
import type { BodyText, CallName } from '../calls.ts'
import type { Span } from './json-text.ts'

/**
 * Maximum bytes of a call. The vendor accepts 32 KB per call and 500 KB per batch. It returns 200 for larger requests but does not process
 * them, so we check. It does not say whether a KB is 1,000 or 1,024 bytes: a call may have 32 × 1,024 bytes, as in the vendor's clients,
 * and a batch's parts are small enough either way. https://docs.customer.io/api/cdp/#section/Limits
 */
export const maxCallBytes = 32 * 1024
const safeCallBytes = 32_000
export const maxBatchBytes = 500_000
export const maxPartBytes = 480 * 1024

/** Maximum number of calls in a batch, to keep a batch cheap to store and report; far more than fit into one request. */
export const maxCalls = 10_000

/** Maximum number of calls that an error names. */
const maxNamed = 10

/** One request: the exact text to post, and the batch's calls that it contains, `first` to `last`. */
export interface RequestPart {
  /** Builds the text, which takes about a millisecond. */
  readonly text: () => string
  readonly first: number
  readonly last: number
}

/** Throws `TooLarge`, before any work is done, for a body that does not fit even into several requests. */
export function checkSizes(name: CallName, body: BodyText): void {
  splitIntoRequests(name, body)
}

/** Throws `TooLarge` for a batch with too many calls. */
export function checkCallCount(calls: number): void {
  if (calls <= maxCalls) return
  throw new TooLarge(`A batch may have ${maxCalls} calls; this one has ${calls}. Nothing was sent. Split it.`)
}

/**
 * The requests that carry a body: several, in order, for a batch that is too large for one request. Throws `TooLarge` for a call that is
 * too large.
 */
export function splitIntoRequests(name: CallName, body: BodyText): RequestPart[] {
  const { text, items } = body
  const sizes = sizesOf(name, body)
  const isWhole = sizes.length === 0 || Buffer.byteLength(text) <= maxBatchBytes
  return isWhole ? [{ text: () => text, first: 0, last: Math.max(0, items.length - 1) }] : split(body, sizes)
}

/** The size of each call in a batch, in bytes; empty for a body sent as a whole. */
function sizesOf(name: CallName, { text, items }: BodyText): number[] {
  if (name !== 'batch' || items.length === 0) {
    const bytes = Buffer.byteLength(text)
    const limit = name === 'batch' ? maxBatchBytes : maxCallBytes
    if (bytes <= limit) return []
    throw new TooLarge(`The body has ${bytes} bytes; the limit is ${limit}. Nothing was sent. Shorten it or send several calls.`)
  }
  checkCallCount(items.length)
  const sizes = items.map(({ start, end }) => Buffer.byteLength(text.slice(start, end)))
  const tooLarge = sizes.flatMap((size, index) => (size > maxCallBytes ? [`batch[${index}] (${size} bytes)`] : []))
  if (tooLarge.length === 0) return sizes
  const named = [...tooLarge.slice(0, maxNamed), ...(tooLarge.length > maxNamed ? [`${tooLarge.length - maxNamed} more`] : [])]
  throw new TooLarge(`A call may be at most 32 KB. Nothing was sent. Shorten or remove: ${named.join(', ')}.`)
}

/** True if a call is so close to the limit that the vendor's definition of KB decides. */
export function isNearLimit(bytes: number): boolean {
  return bytes > safeCallBytes && bytes <= maxCallBytes
}

/** A batch with only some of its calls, and everything else unchanged. */
export function withCalls(body: BodyText, items: readonly Span[]): BodyText {
  const head = headOf(body)
  let end = head.length - 1
  const kept = items.map((item) => {
    const start = end + 1
    end = start + item.end - item.start
    return { start, end }
  })
  const calls = items.map(({ start, end: itemEnd }) => body.text.slice(start, itemEnd)).join(',')
  const others = [...body.members.keys()].filter((name) => name !== 'batch')
  let at = 1
  const members = new Map(
    others.map((name) => {
      const { start, end: memberEnd } = body.members.get(name) ?? { start: 0, end: 0 }
      const span = { start: at, end: at + memberEnd - start }
      at = span.end + 1
      return [name, span]
    }),
  )
  return { text: `${head}${calls}]}`, items: kept, members }
}

/** The text before the calls, with the other members unchanged. */
function headOf({ text, members }: BodyText): string {
  const others = [...members].filter(([name]) => name !== 'batch').map(([, { start, end }]) => `${text.slice(start, end)},`)
  return `{${others.join('')}"batch":[`
}

function split(body: BodyText, sizes: readonly number[]): RequestPart[] {
  const available = maxPartBytes - Buffer.byteLength(headOf(body)) - 2
  if (Math.max(...sizes) > available) {
    throw new TooLarge('The fields next to "batch" are too large. Nothing was sent. Move the context into the calls that need it.')
  }
  const ranges: { first: number; last: number; bytes: number }[] = []
  sizes.forEach((bytes, index) => {
    const current = ranges.at(-1)
    if (current && current.bytes + bytes + 1 <= available) {
      current.last = index
      current.bytes += bytes + 1
    } else ranges.push({ first: index, last: index, bytes })
  })
  return ranges.map(({ first, last }) => ({ text: () => withCalls(body, body.items.slice(first, last + 1)).text, first, last }))
}
