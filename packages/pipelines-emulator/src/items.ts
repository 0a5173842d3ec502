import { isObject, type JsonObject, parseJson, type ReceivedRequest } from '@mcp-toolkits/emulator'
import { arrayElements, decodeBody, type DecodedBody } from './body.ts'
import { callTypes, checkCall, isCallType, whyIgnored } from './calls.ts'
import { type CheckResult, kindOf, problem } from './checks.ts'
import type { KeyVerdict } from './key.ts'

/** The paths below `/v1/`. */
export const endpoints = [...callTypes, 'batch'] as const
export type EndpointName = (typeof endpoints)[number]

/** One event of a request, before its outcome is known. */
export interface EventItem {
  /** `batch` for a batch whose events cannot be separated. */
  readonly type: string
  /** Position in the batch. */
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

/** The events of a request, with what is wrong with each. */
export function itemsOf(endpoint: EndpointName, body: DecodedBody): readonly EventItem[] {
  const whole = { type: endpoint, position: null, call: {}, text: body.text, bytes: body.bytes, context: undefined, notes: [] }
  const unusable = (text: string): readonly EventItem[] => [{ ...whole, problems: [text] }]
  if (body.problem !== undefined) return unusable(body.problem)
  if (endpoint === 'batch' && body.bytes > batchLimit) return unusable(oversize('the batch', body.bytes, batchLimit))
  const value = parseJson(body.text)
  if (value === undefined) return unusable('the body is not JSON')
  if (!isObject(value)) return unusable(`the body must be an object, got ${kindOf(value)}`)
  if (endpoint !== 'batch') return [itemOf({ ...whole, type: endpoint, call: value, context: value['context'] }, value)]
  const { batch } = value
  if (!Array.isArray(batch) || batch.length === 0) return unusable('batch must be an array of at least one call')
  const texts = arrayElements(body.text, 'batch')
  return batch.map((entry: unknown, position) => batchItem({ entry, position, text: texts[position] ?? '' }, value))
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
  const bare = { type, position, call, text, bytes, context: inherits ? context : call['context'], notes: [] }
  if (!isObject(entry)) return { ...bare, problems: [`the item must be an object, got ${kindOf(entry)}`] }
  const item = itemOf(bare, inherits ? { ...call, context } : call)
  const notes = integrations === undefined ? [] : ['integrations beside the batch has no effect']
  return { ...item, notes: [...item.notes, ...notes] }
}

/** Checks a call; `effective` is the call with the context that it inherits. */
function itemOf(bare: Omit<EventItem, 'problems' | 'ignored'>, effective: JsonObject): EventItem {
  const { type, bytes, call } = bare
  if (!isCallType(type)) return { ...bare, problems: [`type must be one of ${callTypes.join(', ')}`] }
  const findings: readonly CheckResult[] = [
    ...(bytes > singleLimit ? problem(oversize('the call', bytes, singleLimit)) : []),
    ...checkCall(type, effective),
  ]
  const texts = (kind: CheckResult['kind']) => findings.filter((finding) => finding.kind === kind).map(({ text }) => text)
  const ignored = whyIgnored(type, call)
  return { ...bare, problems: texts('problem'), notes: texts('note'), ...(ignored !== undefined && { ignored }) }
}

const oversize = (what: string, bytes: number, limit: number) => `${what} is ${bytes} bytes long; the limit is ${limit}`

/** The answer to a request, and the outcome of each of its events. */
export interface Judgement {
  readonly status: 200 | 400 | 401
  /** What strict mode answers. */
  readonly errors: readonly string[]
  readonly items: readonly JudgedItem[]
}

export interface JudgedItem {
  readonly item: EventItem
  /** `accepted` may still turn out to be a duplicate. */
  readonly outcome: 'accepted' | 'dropped' | 'refused'
  readonly reason: string | null
}

/** Decides on a request. Permissive mode hides every problem from the client; strict mode takes all items or none. */
export function judge(items: readonly EventItem[], key: KeyVerdict, strict: boolean): Judgement {
  if (key !== 'ok') {
    const failed = strict ? 'refused' : 'dropped'
    const judged = items.map((item): JudgedItem => ({ item, outcome: failed, reason: `bad key: ${key}` }))
    return { status: strict ? 401 : 200, errors: ['unauthorized'], items: judged }
  }
  const errors = items.flatMap(problemsOf)
  if (strict && errors.length > 0) return { status: 400, errors, items: items.map(refused) }
  return { status: 200, errors: [], items: items.map(processed) }
}

const problemsOf = ({ position, problems }: EventItem) => problems.map((text) => (position === null ? text : `batch[${position}]: ${text}`))

function refused(item: EventItem): JudgedItem {
  const reason = item.problems.length > 0 ? item.problems.join('; ') : 'another item of the batch is not valid'
  return { item, outcome: 'refused', reason }
}

function processed(item: EventItem): JudgedItem {
  if (item.problems.length > 0) return { item, outcome: 'dropped', reason: item.problems.join('; ') }
  return item.ignored === undefined ? { item, outcome: 'accepted', reason: null } : { item, outcome: 'dropped', reason: item.ignored }
}
