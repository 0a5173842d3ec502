import { randomUUID } from 'node:crypto'
import { amended, ToolError, type ErrorDetails } from '@mcp-toolkits/core'
import type { Body } from './body.ts'
import { readBody } from './body.ts'
import type { CallName } from './call.ts'
import type { PipelinesClient } from './client.ts'
import { findingsOf, type Finding } from './findings.ts'
import { identify, messageIdsOf, type Added, type Identity } from './identity.ts'
import { partsOf, type Part } from './size.ts'
import type { UnsettledTexts } from './unsettled.ts'

export interface Request {
  readonly name: CallName
  readonly body: Body
  readonly strict: boolean
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

export interface Receipt {
  readonly status: number
  readonly requests: number
  readonly messageIds: readonly string[]
  readonly added: readonly Added[]
  /** What was sent, for the local check. */
  readonly sent: Body
  readonly notices: readonly string[]
}

/** Brings a body to the vendor: under ids that survive every repeat, within its size limits, in order. */
export interface Delivery {
  readonly deliver: (request: Request) => Promise<Receipt>
}

export interface DeliveryOptions {
  readonly client: PipelinesClient
  readonly unsettled: UnsettledTexts
  /** Whether `messageId` and `timestamp` are added where absent; without, bodies go out exactly as they came. */
  readonly addIds: boolean
}

export function delivery({ client, unsettled, addIds }: DeliveryOptions): Delivery {
  return {
    async deliver(request) {
      const { name, body, strict, signal } = request
      const earlier = unsettled.find(name, body.text)
      const { text, added } = earlier ?? (addIds ? identify(body, mint) : { text: body.text, added: [] })
      const sent = readBody(text)
      const parts = partsOf(name, sent)
      unsettled.add(name, body.text, { text, added })
      let status = 200
      for (const [index, part] of parts.entries()) {
        status = await client.post({ name, text: part.text, strict, signal }).catch((error: unknown) => {
          if (settles(error)) unsettled.remove(name, body.text)
          throw explained(error, { parts, index, text: added.length > 0 ? text : undefined, findings: findingsOf(name, sent.json) })
        })
        if (parts.length > 1) request.progress(index + 1, parts.length, `calls ${part.first} to ${part.last}`)
      }
      unsettled.remove(name, body.text)
      return {
        status,
        requests: parts.length,
        messageIds: messageIdsOf(sent.json),
        added,
        sent,
        notices: noticesOf(parts, earlier !== undefined),
      }
    },
  }
}

function mint(): Identity {
  return { messageId: randomUUID(), timestamp: new Date().toISOString() }
}

/** Whether an error says for certain that nothing was taken, so that the ids are free to be forgotten. */
function settles(error: unknown): boolean {
  return error instanceof ToolError && !['unavailable', 'rate_limited'].includes(error.code)
}

interface Failure {
  readonly parts: readonly Part[]
  readonly index: number
  /** The text under its ids, when the caller does not have it. */
  readonly text: string | undefined
  readonly findings: readonly Finding[]
}

/** Largest body that an error hands back, in bytes. */
const largestReturned = 64 * 1024

/** Adds to a failure what a repeat needs: how far a split batch came, and the body under the ids it was sent with. */
function explained(error: unknown, { parts, index, text, findings }: Failure): unknown {
  if (!(error instanceof ToolError)) return error
  const remaining = parts.length > 1 ? ` The batch went in ${parts.length} requests: ${progressOf(parts, index)}` : ''
  const returned = settles(error) || text === undefined || Buffer.byteLength(text) > largestReturned ? undefined : text
  const repeat = settles(error) ? '' : ' Repeating the call within ten minutes keeps its messageIds, so that nothing counts twice.'
  const found = error.code === 'invalid_input' && findings.length > 0 ? ` The local check found: ${listed(findings)}` : ''
  const details: ErrorDetails = { ...error.details, ...(returned !== undefined && { next: { change: { request_body: returned } } }) }
  return amended(error, `${error.message}${found}${remaining}${repeat}`, details)
}

function listed(findings: readonly Finding[]): string {
  return findings.map(({ at, problem }) => `${at === '' ? 'the body' : at} ${problem}`).join(' ')
}

function progressOf(parts: readonly Part[], index: number): string {
  const first = parts[index]?.first ?? 0
  const last = parts.at(-1)?.last ?? 0
  return `${index === 0 ? 'none was taken' : `calls 0 to ${first - 1} were taken`}, calls ${first} to ${last} are still to be sent.`
}

function noticesOf(parts: readonly Part[], repeated: boolean): string[] {
  return [
    ...(parts.length > 1 ? [`The batch is over 500 KB and went in ${parts.length} requests, in order.`] : []),
    ...(repeated ? ['The same body was sent before without a known outcome; it went out again under the same messageIds.'] : []),
  ]
}
