import type { ReceivedRequest } from '@mcp-toolkits/emulator'
import { decodeBody, parseJson, type DecodedBody } from './body.ts'
import { callTypes, checkCall, isCallType, whyIgnored } from './calls.ts'
import { isObject, kindOf, problem, type Finding, type JsonObject } from './checks.ts'
import { elements } from './elements.ts'

/** The paths below `/v1/`. */
export const endpoints = [...callTypes, 'batch'] as const
export type Endpoint = (typeof endpoints)[number]

/** One event of a request, before its outcome is known. */
export interface Item {
  /** `batch` for a batch whose events cannot be told apart. */
  readonly type: string
  /** Place in the batch. */
  readonly position: number | null
  readonly call: JsonObject
  /** The event as it was written. */
  readonly text: string
  readonly bytes: number
  /** Its own context, or the batch's. */
  readonly context: unknown
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  /** Why it has no effect although it is valid. */
  readonly ignored?: string
}

const singleLimit = 32 * 1024
const batchLimit = 500 * 1024

/** Whether a request asks for strict mode: the header must be exactly `1`. */
export const isStrict = ({ headers }: ReceivedRequest) => headers.get('x-strict-mode') === '1'

/** Decodes the body of a request. */
export const bodyOf = ({ body, headers }: ReceivedRequest) => decodeBody(body, headers.get('content-encoding'))

/** Takes a request apart into its events, and says what is wrong with each. */
export function itemsOf(endpoint: Endpoint, body: DecodedBody): readonly Item[] {
  const whole = { type: endpoint, position: null, call: {}, text: body.text, bytes: body.bytes, context: undefined, notes: [] }
  const unusable = (text: string): readonly Item[] => [{ ...whole, problems: [text] }]
  if (body.problem !== undefined) return unusable(body.problem)
  if (endpoint === 'batch' && body.bytes > batchLimit) return unusable(oversize('the batch', body.bytes, batchLimit))
  const value = parseJson(body.text)
  if (value === undefined) return unusable('the body is not JSON')
  if (!isObject(value)) return unusable(`the body must be an object, got ${kindOf(value)}`)
  if (endpoint !== 'batch') return [itemOf({ ...whole, type: endpoint, call: value, context: value['context'] }, value)]
  const { batch } = value
  if (!Array.isArray(batch) || batch.length === 0) return unusable('batch must be an array of at least one call')
  const texts = elements(body.text, 'batch')
  return batch.map((entry: unknown, position) => batchItem({ entry, position, text: texts[position] ?? '' }, value))
}

interface Entry {
  readonly entry: unknown
  readonly position: number
  readonly text: string
}

function batchItem({ entry, position, text }: Entry, { context, integrations }: JsonObject): Item {
  const call = isObject(entry) ? entry : {}
  const inherits = context !== undefined && !Object.hasOwn(call, 'context')
  const type = typeof call['type'] === 'string' ? call['type'] : 'unknown'
  const bytes = Buffer.byteLength(text)
  const bare = { type, position, call, text, bytes, context: inherits ? context : call['context'], notes: [] }
  if (!isObject(entry)) return { ...bare, problems: [`the item must be an object, got ${kindOf(entry)}`] }
  const item = itemOf(bare, inherits ? { ...call, context } : call)
  const notes = integrations === undefined ? [] : ['integrations beside the batch has no effect']
  return { ...item, notes: [...item.notes, ...notes] }
}

/** Judges a call; `effective` is the call with what it inherits. */
function itemOf(bare: Omit<Item, 'problems' | 'ignored'>, effective: JsonObject): Item {
  const { type, bytes, call } = bare
  if (!isCallType(type)) return { ...bare, problems: [`type must be one of ${callTypes.join(', ')}`] }
  const findings: readonly Finding[] = [
    ...(bytes > singleLimit ? problem(oversize('the call', bytes, singleLimit)) : []),
    ...checkCall(type, effective),
  ]
  const texts = (kind: Finding['kind']) => findings.filter((finding) => finding.kind === kind).map(({ text }) => text)
  const ignored = whyIgnored(type, call)
  return { ...bare, problems: texts('problem'), notes: texts('note'), ...(ignored !== undefined && { ignored }) }
}

const oversize = (what: string, bytes: number, limit: number) => `${what} is ${bytes} bytes long; the limit is ${limit}`
