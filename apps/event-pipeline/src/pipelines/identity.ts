import type { Body, Span } from './body.ts'
import { isObject, type CallName, type JsonObject } from './call.ts'

/** What a call is recognised by when it is sent again, and when it happened: the two fields we add where they are absent. */
export interface Identity {
  readonly messageId: string
  readonly timestamp: string
}

/** What was added to one call; `at` is empty for the body itself and `batch[N]` for an item. */
export interface Added {
  readonly at: string
  readonly messageId?: string
  readonly timestamp?: string
}

export interface IdentifiedText {
  readonly text: string
  readonly added: readonly Added[]
}

interface Place {
  readonly at: string
  readonly span: Span
  readonly call: unknown
}

/**
 * Adds `messageId` and `timestamp` where they are absent, as text before the closing brace: everything else stays byte for byte as
 * the caller wrote it, big numbers and spacing included. Every call gets its own id from `mint`.
 */
export function identify(name: CallName, body: Body, mint: () => Identity): IdentifiedText {
  const additions = placesOf(name, body).flatMap(({ at, span, call }) => {
    if (!isObject(call)) return []
    const { messageId, timestamp } = mint()
    const fields = {
      ...(call['messageId'] === undefined && { messageId }),
      ...(call['timestamp'] === undefined && { timestamp }),
    }
    return Object.keys(fields).length === 0 ? [] : [{ added: { at, ...fields }, brace: span.end - 1, empty: isEmpty(call), fields }]
  })
  const parts = additions.map(({ brace, empty, fields }, index) => {
    const from = index === 0 ? 0 : (additions[index - 1]?.brace ?? 0)
    return `${body.text.slice(from, brace)}${empty ? '' : ','}${JSON.stringify(fields).slice(1, -1)}`
  })
  const last = additions.at(-1)?.brace ?? 0
  return { text: parts.join('') + body.text.slice(last), added: additions.map(({ added }) => added) }
}

function placesOf(name: CallName, { text, json, items }: Body): Place[] {
  const batch: unknown = json['batch']
  if (name === 'batch' && Array.isArray(batch)) {
    const calls: unknown[] = batch
    return items.map((span, index) => ({ at: `batch[${index}]`, span, call: calls[index] }))
  }
  return [{ at: '', span: { start: 0, end: text.trimEnd().length }, call: json }]
}

function isEmpty(call: JsonObject): boolean {
  return Object.keys(call).length === 0
}
