import { TooLarge } from '@mcp-toolkits/core'
import type { ParsedBody } from './body.ts'
import type { CallName } from './calls.ts'

/**
 * The vendor accepts 32 KB a call and 500 KB a batch. It answers 200 to larger requests and does not process them, so we check. It
 * does not say whether a KB is 1,000 or 1,024 bytes: a call may have 32 × 1,024, as in its clients, and the parts of a batch are
 * small enough either way. https://docs.customer.io/api/cdp/#section/Limits
 */
const maxCallBytes = 32 * 1024
const safeCallBytes = 32_000
const maxBatchBytes = 500_000
const maxPartBytes = 480 * 1024

/** One request: the exact text to post, and the calls of the batch that it holds, `first` to `last`. */
export interface RequestPart {
  readonly text: string
  readonly first: number
  readonly last: number
}

/** The requests that carry a body: several, in order, for a batch that is too large. Throws `TooLarge` for a call that is too large. */
export function splitIntoRequests(name: CallName, body: ParsedBody): RequestPart[] {
  const { text, items } = body
  const bytes = Buffer.byteLength(text)
  const whole = { text, first: 0, last: Math.max(0, items.length - 1) }
  if (name !== 'batch' || items.length === 0) {
    const limit = name === 'batch' ? maxBatchBytes : maxCallBytes
    if (bytes <= limit) return [whole]
    throw new TooLarge(
      `The request body has ${bytes} bytes and the limit is ${limit}; nothing was sent. Shorten it or send it in several calls.`,
    )
  }
  const sizes = items.map(({ start, end }) => Buffer.byteLength(text.slice(start, end)))
  const tooLarge = sizes.flatMap((size, index) => (size > maxCallBytes ? [`batch[${index}] (${size} bytes)`] : []))
  if (tooLarge.length > 0) {
    throw new TooLarge(
      `One call may have ${maxCallBytes} bytes; nothing was sent. Too large: ${tooLarge.join(', ')}. Shorten these calls or leave them out.`,
    )
  }
  return bytes > maxBatchBytes ? split(body, sizes) : [whole]
}

/** Whether a call is so close to the limit that the vendor's meaning of KB decides. */
export function isNearLimit(bytes: number): boolean {
  return bytes > safeCallBytes && bytes <= maxCallBytes
}

/** The text of a batch with only some of its calls, and everything else unchanged. */
export function withCalls(body: ParsedBody, isIncluded: (index: number) => boolean): string {
  const calls = body.items.filter((_item, index) => isIncluded(index)).map(({ start, end }) => body.text.slice(start, end))
  return `${headOf(body)}${calls.join(',')}]}`
}

/** The text before the calls: the other members, unchanged. */
function headOf({ text, members }: ParsedBody): string {
  const others = [...members].filter(([name]) => name !== 'batch').map(([, { start, end }]) => `${text.slice(start, end)},`)
  return `{${others.join('')}"batch":[`
}

function split(body: ParsedBody, sizes: readonly number[]): RequestPart[] {
  const available = maxPartBytes - Buffer.byteLength(headOf(body)) - 2
  if (Math.max(...sizes) > available) {
    throw new TooLarge(
      'The members other than "batch" leave no room for its calls; nothing was sent. Move the context into the calls that need it.',
    )
  }
  const ranges: { first: number; last: number; bytes: number }[] = []
  sizes.forEach((bytes, index) => {
    const current = ranges.at(-1)
    if (current && current.bytes + bytes + 1 <= available) {
      current.last = index
      current.bytes += bytes + 1
    } else ranges.push({ first: index, last: index, bytes })
  })
  return ranges.map(({ first, last }) => ({ text: withCalls(body, (index) => index >= first && index <= last), first, last }))
}
