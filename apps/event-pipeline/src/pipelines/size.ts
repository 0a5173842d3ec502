import { TooLarge } from '@mcp-toolkits/core'
import type { Body } from './body.ts'
import type { CallName } from './call.ts'

/**
 * What the vendor takes: 32 KB a call, 500 KB a batch. Over that it answers 200 and processes nothing, so size is our own duty.
 * It does not say whether a KB is 1,000 or 1,024 bytes: calls count 1,024, as its clients do, and parts of a batch are small
 * enough either way. https://docs.customer.io/api/cdp/#section/Limits
 */
const largestCall = 32 * 1024
const surelyFittingCall = 32_000
const largestBatch = 500_000
const largestPart = 480 * 1024

/** One request: the exact text to post, and which calls of the batch it holds (`first` to `last`). */
export interface Part {
  readonly text: string
  readonly first: number
  readonly last: number
}

/**
 * The requests that carry a body: one, or several in order for a batch that is too large. Throws `TooLarge` for a call that the
 * vendor would drop.
 */
export function partsOf(name: CallName, body: Body): Part[] {
  const { text, items } = body
  const whole = { text, first: 0, last: Math.max(0, items.length - 1) }
  if (name !== 'batch' || items.length === 0) {
    const bytes = Buffer.byteLength(text)
    const limit = name === 'batch' ? largestBatch : largestCall
    if (bytes > limit)
      throw new TooLarge(
        `The request body has ${bytes} bytes and the limit is ${limit}; nothing was sent. Shorten it or send it in several calls.`,
      )
    return [whole]
  }
  const sizes = items.map(({ start, end }) => Buffer.byteLength(text.slice(start, end)))
  const tooLarge = sizes.flatMap((bytes, index) => (bytes > largestCall ? [`batch[${index}] (${bytes} bytes)`] : []))
  if (tooLarge.length > 0) {
    throw new TooLarge(
      `One call may have ${largestCall} bytes; nothing was sent. Too large: ${tooLarge.join(', ')}. Shorten or leave out these.`,
    )
  }
  return Buffer.byteLength(text) > largestBatch ? split(body, sizes) : [whole]
}

/** Whether a request of so many bytes is so near a call's limit that it depends on what the vendor means by KB. */
export function isNearLimit(bytes: number): boolean {
  return bytes > surelyFittingCall && bytes <= largestCall
}

/** The body with only some of the calls of its batch, everything else as it was. */
export function keeping(body: Body, kept: (index: number) => boolean): string {
  const calls = body.items.filter((_item, index) => kept(index)).map(({ start, end }) => body.text.slice(start, end))
  return `${headOf(body)}${calls.join(',')}]}`
}

/** What stands before the calls in every part: the other members, as they were written. */
function headOf({ text, members }: Body): string {
  const others = [...members].filter(([name]) => name !== 'batch').map(([, { start, end }]) => `${text.slice(start, end)},`)
  return `{${others.join('')}"batch":[`
}

function split(body: Body, sizes: readonly number[]): Part[] {
  const head = headOf(body)
  const room = largestPart - Buffer.byteLength(head) - 2
  if (Math.max(...sizes) > room) {
    throw new TooLarge(
      'The members beside "batch" leave no room for its calls; nothing was sent. Move the context into the calls that need it.',
    )
  }
  const ranges: { first: number; last: number; bytes: number }[] = []
  sizes.forEach((bytes, index) => {
    const current = ranges.at(-1)
    if (current && current.bytes + bytes + 1 <= room) {
      current.last = index
      current.bytes += bytes + 1
    } else ranges.push({ first: index, last: index, bytes })
  })
  return ranges.map(({ first, last }) => ({ text: keeping(body, (index) => index >= first && index <= last), first, last }))
}
