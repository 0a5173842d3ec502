import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { Message, type NextStep, quote, sentence, type Suggestion } from '@mcp-toolkits/core/errors'
import { type CallName, type ItemType, strictnessOf } from '../calls.ts'
import { type Change, Correction, correctBatch, correctCall } from './correction.ts'
import { fieldsOf, identityNames, plainName } from '../fields.ts'
import { describeFindings, findingsIn, groupFindings, indexOfItem, rangesOf } from './findings.ts'
import { readType } from './item-type.ts'
import { maxLooseLength, readLooseJson } from '../body/loose-json.ts'
import { isCallLike, listIn, onlyBody, unwrap } from '../body/wrapper.ts'

/** Longer bodies are corrected in words only, because an error is read as a whole. In characters of its JSON. */
const maxChangeLength = 16_000
/** Longer bodies are not suggested. */
const maxSuggestionLength = 1_000

/** Advice on a body that cannot be used unchanged. */
export interface Advice {
  readonly text: Message
  /** Leads to a body without faults, or to the batch tool. */
  readonly next?: NextStep
  readonly suggestions?: readonly Suggestion[]
  /** True if it leaves out calls that cannot be corrected. */
  readonly isPartial?: boolean
}

export interface AdviceOptions {
  readonly isStrict: boolean
  /** True if the body came as arguments beside `request_body`. */
  readonly isSpread?: boolean
}

/**
 * Corrections of a body that need no guess: names of fields, forms of dates, notation and wrapping. The caller confirms them; they are
 * never carried out. Undefined if there are none.
 */
export async function adviseOn(
  name: CallName,
  written: unknown,
  { isStrict, isSpread = false }: AdviceOptions,
): Promise<Advice | undefined> {
  // To parse megabytes of brackets takes long, and their correction could not be shown.
  if (typeof written === 'string' && written.length > maxLooseLength) return undefined
  const loose = typeof written === 'string' ? readLooseJson(written) : written
  const value = isSpread ? onlyBody(name, loose) : loose
  const correction = new Correction()
  const content = unwrap(name, value, (key) => {
    correction.note('', `taken out of ${quote(key)}`)
  })
  if (isSpread) {
    if (!isObject(content) || !isCallLike(name, content)) return undefined
    correction.note('', 'in request_body')
  }
  const list: readonly unknown[] | undefined = Array.isArray(content) ? content : isObject(content) ? listIn(content) : undefined
  if (name !== 'batch' && list) {
    if (list.length !== 1) return adviseBatch(name, list, isStrict)
    correction.note('', 'the only item of the list')
  }
  const [call = content] = list && name !== 'batch' ? list : []
  const other = name !== 'batch' && isObject(call) ? readType(call['type']) : undefined
  if (other && other !== name && isObject(call)) return adviseOtherTool(other, call, isStrict)
  const place = { at: '', correction }
  const body = name === 'batch' ? correctBatch(content, correction) : isObject(call) ? correctCall(name, call, place) : undefined
  const parsed = typeof written === 'string' ? parseJson(written) : value
  const isUnreadable = parsed === undefined || typeof parsed === 'string'
  if (body && isUnreadable) correction.note('', /^\s*`|```|~~~/.test(String(written)) ? 'taken out of the code fence' : 'written as JSON')
  if (!body) return undefined
  return (await adviseBody(name, body, correction)) ?? (isUnreadable ? adviseOnRest(name, body, correction) : undefined)
}

/** Advice on a text with only some mistakes that can be corrected: it is not sent, so the caller hears of the others as well. */
async function adviseOnRest(name: CallName, body: JsonObject, { changes }: Correction): Promise<Advice | undefined> {
  const faults = (await findingsIn(name, body)).filter(({ isFault }) => isFault)
  if (faults.length === 0) return undefined
  const corrected = JSON.stringify(body)
  const shown = corrected.length > maxSuggestionLength ? '' : `, which gives ${corrected}`
  return {
    text: Message.of(`Can be corrected: ${describeChanges(changes)}${shown}.`, `For you to correct: ${describeFindings(faults)}`),
    next: { tool: toolOf(name), arguments: { mode: 'get_request_schema' } },
  }
}

/** The tool of each call. */
const toolNames: Readonly<Record<CallName, string>> = {
  identify: 'IdentifyPersonAndAssignTraits',
  track: 'TrackUserEvent',
  page: 'SendPageViewEvent',
  screen: 'SendScreenViewEvent',
  group: 'AddToGroup',
  alias: 'AliasUserIdentity',
  batch: 'SendBatchRequests',
}
const toolOf = (name: CallName) => `EventPipelineApi.${toolNames[name]}`

/** A call whose type is not the tool's. The tool for that type is the next step, if it accepts the call. */
async function adviseOtherTool(type: ItemType, call: JsonObject, isStrict: boolean): Promise<Advice> {
  const { type: written, ...fields } = call
  const body = correctCall(type, fields, { at: '', correction: new Correction() })
  const tool = toolOf(type)
  const text = sentence`The call has the type ${quote(String(written))}: send it with ${{ tool }}.`
  const faults = (await findingsIn(type, body)).filter(({ isFault }) => isFault)
  const request_body = JSON.stringify(body)
  if (faults.length > 0 || isTooLong(request_body)) return { text }
  return { text, next: { tool, arguments: { mode: 'execute', request_body, ...(isStrict && enabled(type)) } } }
}

/** The argument that makes a call strict. */
const enabled = (name: CallName) => ({ [strictnessOf[name].name]: strictnessOf[name].enabling })

/** Advice on a list for a tool that takes one call. The batch tool is the next step only if it takes every item unchanged. */
async function adviseBatch(name: ItemType, list: readonly unknown[], isStrict: boolean): Promise<Advice | undefined> {
  if (list.length === 0) return undefined
  const tool = toolOf('batch')
  const batch = list.map((item) => (isObject(item) && item['type'] === undefined ? { type: name, ...item } : item))
  const text = sentence`This tool takes one call. Send several with ${{ tool }}: {"batch": [{"type": "${name}", …}, …]}.`
  const request_body = JSON.stringify({ batch })
  const findings = await findingsIn('batch', { batch })
  if (findings.length > 0 || isTooLong(request_body)) return { text }
  return { text, next: { tool, arguments: { mode: 'execute', request_body, ...(isStrict && enabled('batch')) } } }
}

async function adviseBody(name: CallName, body: JsonObject, { changes, isGuess }: Correction): Promise<Advice | undefined> {
  const identity = name === 'batch' ? undefined : await adviseOnIdentity(name, body)
  if (identity) return identity
  const faults = (await findingsIn(name, body)).filter(({ isFault }) => isFault)
  const batch: readonly unknown[] = Array.isArray(body['batch']) ? body['batch'] : []
  const faulty = new Set(faults.map(indexOfItem))
  const canLeaveOut = name === 'batch' && !faulty.has(-1) && faulty.size < batch.length
  if (faults.length > 0 && !canLeaveOut) return undefined
  if (changes.length === 0 && faulty.size === 0) return undefined
  const request_body = JSON.stringify(faulty.size === 0 ? body : { ...body, batch: batch.filter((_, index) => !faulty.has(index)) })
  const leftOut = faulty.size === 0 ? '' : `batch[${rangesOf([...faulty].sort((a, b) => a - b))}]`
  const corrected = describeChanges(changes)
  if (isTooLong(request_body)) {
    const rest = leftOut === '' ? '' : `Send the other ${batch.length - faulty.size} without ${leftOut}.`
    return { text: Message.of(corrected === '' ? '' : `Correct: ${corrected}.`, rest), isPartial: leftOut !== '' }
  }
  if (isGuess || leftOut !== '') {
    const said = [corrected, leftOut === '' ? '' : `${leftOut} left out`].filter((each) => each !== '').join('; ')
    return { text: Message.of(`With these changes it would be accepted: ${said}.`), ...suggest([request_body]), isPartial: leftOut !== '' }
  }
  return { text: Message.of(`next.change has the corrected body: ${corrected}.`), next: { change: { request_body } } }
}

const isTooLong = (text: string) => JSON.stringify(text).length > maxChangeLength

function describeChanges(changes: readonly Change[]): string {
  const groups = groupFindings(changes.map((change) => ({ ...change, isFault: false })))
  return groups.map(({ at, problem }) => `${at} ${problem}`.trim()).join('; ')
}

/** The bodies that may be meant if an id has another name. Only an "id" that can be nothing but the person's is proposed. */
async function adviseOnIdentity(name: ItemType, body: JsonObject): Promise<Advice | undefined> {
  if (name === 'group' ? body['groupId'] !== undefined : body['userId'] !== undefined || body['anonymousId'] !== undefined) return undefined
  const readings = Object.entries(body).flatMap(([key, value]) => {
    const plain = plainName(key)
    const fields = Object.hasOwn(identityNames, plain) ? (identityNames[plain] ?? []) : []
    if (typeof value !== 'string' && typeof value !== 'number') return []
    // The vendor ignores an identify call with an anonymousId alone.
    const fitting = fields.filter((field) => fieldsOf(name).includes(field) && !(name === 'identify' && field === 'anonymousId'))
    const others = Object.fromEntries(Object.entries(body).filter(([each]) => each !== key))
    return fitting.map((field) => ({ key, plain, field, value: { [field]: String(value), ...others } }))
  })
  const findings = await Promise.all(readings.map(({ value }) => findingsIn(name, value)))
  const [first, ...others] = readings.filter((_, index) => findings[index]?.every(({ isFault }) => !isFault))
  if (!first) return undefined
  const text = Message.of(`Possible: ${[first, ...others].map(({ key, field }) => `${quote(key)} as ${field}`).join(', ')}.`)
  const suggestions = suggest([first, ...others].map(({ value }) => JSON.stringify(value)))
  const isOnly = others.length === 0 && first.field === 'userId' && first.plain === 'id'
  const next = { change: { request_body: JSON.stringify(first.value) } }
  return { text, ...suggestions, ...(isOnly && { next }) }
}

/** Bodies as suggestions, the likeliest first. */
function suggest(bodies: readonly string[]): Pick<Advice, 'suggestions'> {
  const suggestions = bodies.map((value, index) => ({ parameter: 'request_body', value, confidence: index === 0 ? 0.7 : 0.5 }))
  return { suggestions: suggestions.filter(({ value }) => value.length <= maxSuggestionLength) }
}
