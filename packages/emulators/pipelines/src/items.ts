import { isObject, type JsonObject, parseJson, type ReceivedRequest } from '@mcp-toolkits/emulator'
import { callTypes, checkCall, ignoredReason, isCallType } from './calls.ts'
import { type CheckResult, kindOf } from './checks.ts'
import { arrayElements, decodeBody, type DecodedBody, type KeyVerdict } from './request.ts'

/** The paths under `/v1/`. */
export const endpoints = [...callTypes, 'batch'] as const
export type EndpointName = (typeof endpoints)[number]

/** One event in a request, before its outcome is known. */
export interface EventItem {
  /** `batch` for a batch whose events cannot be separated. */
  readonly type: string
  /** Position in the batch. */
  readonly position: number | null
  readonly call: JsonObject
  /** The event exactly as written. */
  readonly text: string
  readonly bytes: number
  /** Its own context, or the batch's. */
  readonly context: unknown
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  /** Why it has no effect even though it is valid. */
  readonly ignoredReason?: string
}

/** Maximum request sizes, in bytes after decompression. */
export interface SizeLimits {
  /** Limit for a call, alone or in a batch. */
  readonly call: number
  readonly batch: number
}

/** Customer.io's published limits. */
export const publishedLimits: SizeLimits = { call: 32 * 1024, batch: 500 * 1024 }

/** True if a request asks for strict mode: the header must be exactly `1`. */
export const isStrict = ({ headers }: ReceivedRequest) => headers.get('x-strict-mode') === '1'

/** Decodes a request's body. */
export const decodeRequestBody = ({ body, headers }: ReceivedRequest) => decodeBody(body, headers.get('content-encoding'))

/** A request's events, each with its problems. */
export function parseItems(endpoint: EndpointName, body: DecodedBody, limits: SizeLimits): readonly EventItem[] {
  const whole = { type: endpoint, position: null, call: {}, text: body.text, bytes: body.bytes, context: undefined, notes: [] }
  const unusable = (text: string): readonly EventItem[] => [{ ...whole, problems: [text] }]
  if (body.problem !== undefined) return unusable(body.problem)
  if (endpoint === 'batch' && body.bytes > limits.batch) return unusable(oversize('the batch', body.bytes, limits.batch))
  const value = parseJson(body.text)
  if (value === undefined) return unusable('the body is not JSON')
  if (!isObject(value)) return unusable(`the body must be an object, got ${kindOf(value)}`)
  if (endpoint !== 'batch')
    return [withSize(checkItem({ ...whole, type: endpoint, call: value, context: value['context'] }, value), limits)]
  const { batch } = value
  if (!Array.isArray(batch) || batch.length === 0) return unusable('batch must be an array of at least one call')
  const texts = arrayElements(body.text, 'batch')
  return batch.map((entry: unknown, position) => withSize(batchItem({ entry, position, text: texts[position] ?? '' }, value), limits))
}

interface Entry {
  readonly entry: unknown
  readonly position: number
  readonly text: string
}

function batchItem({ entry, position, text }: Entry, { context, integrations }: JsonObject): EventItem {
  const call = isObject(entry) ? entry : {}
  const inherits = context !== undefined && !Object.hasOwn(call, 'context')
  const type = typeof call['type'] === 'string' ? call['type'] : 'unknown'
  const bytes = Buffer.byteLength(text)
  const unchecked = { type, position, call, text, bytes, context: inherits ? context : call['context'], notes: [] }
  if (!isObject(entry)) return { ...unchecked, problems: [`the item must be an object, got ${kindOf(entry)}`] }
  const item = checkItem(unchecked, inherits ? { ...call, context } : call)
  const notes = integrations === undefined ? [] : ['integrations beside the batch has no effect']
  return { ...item, notes: [...item.notes, ...notes] }
}

/** Checks a call; `effective` is the call with the context that it inherits. */
function checkItem(unchecked: Omit<EventItem, 'problems'>, effective: JsonObject): EventItem {
  const { type, call } = unchecked
  if (!isCallType(type)) return { ...unchecked, problems: [`type must be one of ${callTypes.join(', ')}`] }
  const findings: readonly CheckResult[] = checkCall(type, effective)
  const texts = (kind: CheckResult['kind']) => findings.filter((finding) => finding.kind === kind).map(({ text }) => text)
  const ignored = ignoredReason(type, call)
  return { ...unchecked, problems: texts('problem'), notes: texts('note'), ...(ignored !== undefined && { ignoredReason: ignored }) }
}

/** Adds a problem to a call that is too long. */
function withSize(item: EventItem, { call: limit }: SizeLimits): EventItem {
  const { type, bytes, problems } = item
  return bytes > limit && isCallType(type) ? { ...item, problems: [oversize('the call', bytes, limit), ...problems] } : item
}

const oversize = (what: string, bytes: number, limit: number) => `${what} is ${bytes} bytes long; the limit is ${limit}`

/** The response to a request, and each event's outcome. */
export interface RequestResult {
  readonly status: 200 | 400 | 401
  /** The errors in strict mode's response. */
  readonly errors: readonly string[]
  readonly items: readonly ItemResult[]
}

export interface ItemResult {
  readonly item: EventItem
  /** `accepted` may still turn out to be a duplicate. */
  readonly outcome: 'accepted' | 'dropped' | 'refused'
  readonly reason: string | null
}

/** Decides a request's outcome. Permissive mode hides every problem from the client; strict mode accepts all items or none. */
export function processItems(items: readonly EventItem[], key: KeyVerdict, strict: boolean): RequestResult {
  if (key !== 'ok') {
    const failed = strict ? 'refused' : 'dropped'
    const judged = items.map((item): ItemResult => ({ item, outcome: failed, reason: `bad key: ${key}` }))
    return { status: strict ? 401 : 200, errors: ['unauthorized'], items: judged }
  }
  const errors = items.flatMap(problemsOf)
  if (strict && errors.length > 0) return { status: 400, errors, items: items.map(refused) }
  return { status: 200, errors: [], items: items.map(processed) }
}

const problemsOf = ({ position, problems }: EventItem) => problems.map((text) => (position === null ? text : `batch[${position}]: ${text}`))

function refused(item: EventItem): ItemResult {
  const reason = item.problems.length > 0 ? item.problems.join('; ') : 'another item of the batch is not valid'
  return { item, outcome: 'refused', reason }
}

function processed(item: EventItem): ItemResult {
  if (item.problems.length > 0) return { item, outcome: 'dropped', reason: item.problems.join('; ') }
  return item.ignoredReason === undefined
    ? { item, outcome: 'accepted', reason: null }
    : { item, outcome: 'dropped', reason: item.ignoredReason }
}
