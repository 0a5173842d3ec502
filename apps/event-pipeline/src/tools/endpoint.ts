import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, type ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { type CallContext, type Tool, withJsonSchema, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import type { Context } from '../connect.ts'
import { defineTool } from '../context.ts'
import type { Receipt, Submission } from '../outbox/outbox.ts'
import { readBody } from '../pipelines/body/body-reader.ts'
import { type AddedFields, type CallName, type EnablingValue, strictnessOf } from '../pipelines/calls.ts'
import type { Advice } from '../pipelines/findings/advice.ts'
import { fieldsOf, idFields, plainName, unusedFields } from '../pipelines/fields.ts'
import type { Finding } from '../pipelines/findings/finding.ts'
import { describeFindings, destructionNotices, findingsIn, groupFindings, indexOfItem, rangesOf } from '../pipelines/findings/findings.ts'
import { placeholderIds } from '../pipelines/findings/implausible.ts'
import { readType } from '../pipelines/findings/item-type.ts'
import { isNearLimit } from '../pipelines/body/limits.ts'
import { openapiOf } from '../pipelines/openapi.ts'
import { modeVocabulary, strictnessNames } from './vocabulary.ts'
import { explainArguments, readStrictness, withStrictStatus } from './arguments.ts'

/** The data that differs between the endpoints' tools. */
export interface EndpointTool {
  readonly name: string
  readonly title: string
  /** A call's effect and purpose, in one or two sentences. */
  readonly purpose: string
  /** The tool to use for something similar. */
  readonly instead: Message
  /** The most important fields in the body. */
  readonly body: string
  readonly call: CallName
  /** A typical body. */
  readonly example: JsonObject
  readonly effect: 'create' | 'update'
  readonly destructive?: true
}

const modes = ['get_request_schema', 'execute'] as const
const modeParameter = (call: CallName) =>
  withVocabulary(z.enum(modes).describe('execute sends request_body; get_request_schema returns its schema.'), modeVocabulary(call))

/**
 * Maximum length, in UTF-16 code units, of a request body: as much as one stdio line can hold. A large batch is split into several
 * requests.
 */
const maxBodyLength = 10 * 1024 * 1024

const requestBody = withJsonSchema(z.unknown(), {
  type: 'string',
  maxLength: maxBodyLength,
  description: 'For execute: one JSON object as text; messageId and timestamp are optional.',
}).optional()

const strictnessParameter = (enabling: EnablingValue) =>
  withVocabulary(
    withJsonSchema(z.unknown(), {
      type: 'string',
      maxLength: 100,
      description: `"${enabling}": an invalid body gets HTTP 400; else 200, even if dropped.`,
    }),
    { names: strictnessNames },
  ).optional()

const inputs = {
  enable_strict_validation: (value: EnablingValue, call: CallName) =>
    z.strictObject({ mode: modeParameter(call), enable_strict_validation: strictnessParameter(value), request_body: requestBody }),
  enable_strict_mode: (value: EnablingValue, call: CallName) =>
    z.strictObject({ mode: modeParameter(call), enable_strict_mode: strictnessParameter(value), request_body: requestBody }),
} as const

const output = z.object({
  mode: z.string(),
  openapi: withJsonSchema(z.record(z.string(), z.unknown()), { type: 'object' }).optional(),
  strict: z.boolean().optional(),
  outcome: withJsonSchema(z.enum(['delivered', 'partly_dropped', 'dropped', 'queued']), {
    type: 'string',
    description: 'delivered, queued (do not repeat), dropped or partly_dropped.',
  }).optional(),
  dropped: z.string().optional(),
  http_status: z.number().optional(),
  validated: z.boolean().optional(),
  outbox: withJsonSchema(z.object({ entries: z.array(z.number()), next_attempt_at: z.string() }), { type: 'object' }).optional(),
  message_ids: z.array(z.string()).optional(),
  message_count: z.number().optional(),
  added: withJsonSchema(z.array(z.object({ at: z.string(), fields: z.array(z.string()) })), {
    type: 'array',
    items: { type: 'object' },
  }).optional(),
  findings: z.array(z.object({ at: z.string(), problem: z.string() })).optional(),
  notices: z.array(z.string()).optional(),
})

/** Tool for one endpoint. */
export function endpointTool({ call, purpose, instead, body: hint, example, ...endpoint }: EndpointTool): Tool<Context> {
  const strictness = strictnessOf[call]
  const tool = defineTool({
    ...endpoint,
    description: Message.of(purpose, instead, hint),
    scopes: [],
    input: inputs[strictness.name](strictness.enabling, call),
    output,
    writes: ({ mode }) => mode === 'execute',
    example: { mode: 'execute', request_body: JSON.stringify(example) },
    async run({ mode, request_body: requestBody, ...others }, context, callContext) {
      if (mode === 'get_request_schema')
        return { mode, ...(requestBody !== undefined && { notices: [unusedBody] }), openapi: openapiOf(call) }
      if (requestBody === undefined) throw missingBody(endpoint.name)
      const { strict: isStrict, notice } = readStrictness(strictness, Object.values(others)[0])
      const sent = await execute({ tool: endpoint.name, call, written: requestBody, isStrict }, context, callContext).catch(
        (error: unknown) => {
          throw isStrict ? withStrictStatus(error) : error
        },
      )
      return { mode, ...sent, notices: [...(notice === undefined ? [] : [notice]), ...sent.notices] }
    },
  })
  return {
    ...tool,
    execute: (args, context, options) =>
      tool.execute(args, context, options).catch(async (error: unknown) => {
        throw explainArguments(explainSchema(await explainLooseFields(error, args, call), args, call), args, strictness)
      }),
  }
}

const readSchema = (tool: string) => ({ tool: `EventPipelineApi.${tool}`, arguments: { mode: 'get_request_schema' } })

const unusedBody = 'Nothing was sent: this mode ignores request_body. To send it, pass mode "execute".'

function missingBody(tool: string): InvalidInput {
  return new InvalidInput('"request_body" is required with mode execute. Mode get_request_schema returns its schema.', {
    next: readSchema(tool),
  })
}

/** Adds the schema as the next step of an error about a body without a known correction. */
function withSchemaNext(error: InvalidInput, tool: string): ToolError {
  return error.details.next === undefined ? withDetails(error, error.text, { ...error.details, next: readSchema(tool) }) : error
}

interface WrittenBody {
  readonly tool: string
  readonly call: CallName
  readonly written: unknown
  readonly isStrict: boolean
}

/** Checks a body, submits it and describes the outcome. */
async function execute({ tool, call, written, isStrict }: WrittenBody, { outbox }: Context, callContext: CallContext) {
  const body = await readBody(written, call).catch(async (error: unknown) => {
    throw await explainUnreadable(error, { tool, call, written, isStrict })
  })
  const findings = await findingsIn(call, body.json, callContext.scope.clock)
  const placeholders = placeholderIds(call, body)
  if (placeholders.length > 0)
    throw new InvalidInput(
      `Nothing was sent. ${describeFindings(placeholders)} Pass the id itself, or leave the field out. ${describeFindings(findings)}`.trim(),
    )
  const advice = await adviceFor({ call, body, findings, isStrict }, callContext.scope.clock.now())
  const submission = { name: call, body, isStrict, findings }
  const receipt = await (await outbox()).submit(submission, callContext).catch((error: unknown) => {
    throw error instanceof InvalidInput ? (advice ? withAdvice(error, advice) : withSchemaNext(error, tool)) : error
  })
  return describeReceipt(receipt, { call, body, findings, isStrict }, [...body.notices, ...destructionNotices(call, body)])
}

/** Advises on a body. The code that does so is loaded when a body first has a mistake. */
async function adviseOn({ call, written, isStrict }: Omit<WrittenBody, 'tool'>, now?: number): Promise<Advice | undefined> {
  const advice = await import('../pipelines/findings/advice.ts')
  return advice.adviseOn(call, written, { isStrict, ...(now !== undefined && { now }) })
}

function withAdvice(error: ToolError, { text, next, suggestions }: Advice): ToolError {
  return withDetails(error, error.text.and(text), { ...error.details, ...(next && { next }), ...(suggestions && { suggestions }) })
}

/** Error for a body that is not one JSON object, with the likely meaning. */
async function explainUnreadable(error: unknown, { tool, call, written, isStrict }: WrittenBody): Promise<unknown> {
  if (!(error instanceof InvalidInput)) return error
  const advice = await adviseOn({ call, written, isStrict })
  const advised = advice ? withAdvice(error, advice) : error
  return advised instanceof InvalidInput && !advice?.isPartial ? withSchemaNext(advised, tool) : advised
}

/** Error for a call that passes the body's fields as arguments, or the body under a different name. */
async function explainLooseFields(error: unknown, args: unknown, call: CallName): Promise<unknown> {
  if (!(error instanceof InvalidInput) || !isObject(args)) return error
  const given = Object.entries(args).filter(([name, value]) => value !== null && !isOwnArgument(name) && name !== 'request_body')
  const { names } = modeVocabulary(call)
  const named = given.filter(([name, value]) => names.includes(name) && meantMode(value, call) !== undefined)
  const fields = given.filter((each) => !named.includes(each))
  const mode = meantMode(named[0]?.[1] ?? args['mode'], call)
  const isTrial = fields.some(([name]) => /^dry_?run$/i.test(name))
  if (isTrial || fields.length === 0 || named.length > 1 || (isPresent(args['mode']) && mode === undefined)) return error
  const body = withBody(call, Object.fromEntries(fields), args['request_body'])
  if (!body) return error
  const advice = await import('../pipelines/findings/advice.ts')
  const advised = await advice.adviseOn(call, body, { isStrict: false, isSpread: true })
  const { text = '', next, suggestions = [] } = advised ?? {}
  const isPlain = Object.keys(args).every((name) => !name.startsWith('enable_'))
  if (next?.tool !== undefined && isPlain && mode !== 'get_request_schema') return withDetails(error, error.text.and(text), { next })
  if (!next?.change) return suggestions.length > 0 ? withDetails(error, error.text.and(text), { suggestions }) : error
  const change = {
    ...(mode !== undefined && mode !== args['mode'] && { mode }),
    ...Object.fromEntries(given.map(([name]) => [name, null])),
    ...next.change,
  }
  return withDetails(error, error.text.and('Pass the body as request_body, as next.change does.'), { next: { change } })
}

/** Merges the arguments into the body passed next to them; undefined unless each argument is a field that the body lacks. */
function withBody(call: CallName, fields: JsonObject, written: unknown): JsonObject | undefined {
  if (!isPresent(written)) return fields
  const held = typeof written === 'string' ? parseJson(written) : written
  if (call === 'batch' || !isObject(held) || Object.keys(fields).some((name) => Object.hasOwn(held, name))) return undefined
  const body = { ...fields, ...held }
  const homes = new Map(unusedFields(call, body).map(({ name, home, isMovable }) => [name, isMovable ? home : undefined]))
  const known = fieldsOf(call)
  return Object.keys(fields).every((name) => known.includes((homes.has(name) ? homes.get(name) : name) ?? '')) ? body : undefined
}

/** Error for a request for the schema with further arguments, which mean nothing there unless they name a different call. */
function explainSchema(error: unknown, args: unknown, call: CallName): unknown {
  if (!(error instanceof InvalidInput) || !isObject(args) || meantMode(args['mode'], call) !== 'get_request_schema') return error
  const others = Object.entries(args).filter(([name]) => !isOwnArgument(name) && name !== 'request_body')
  if (others.some(([, value]) => (readType(value) ?? call) !== call)) return error
  const change = { mode: 'get_request_schema', ...Object.fromEntries(others.map(([name]) => [name, null])) }
  return withDetails(error, error.text, { ...error.details, next: { change } })
}

const isOwnArgument = (name: string) => name === 'mode' || name.startsWith('enable_')
const isPresent = (value: unknown) => value !== undefined && value !== null

/** The mode that a word stands for. */
function meantMode(written: unknown, call: CallName): string | undefined {
  const words = [...modes.map((mode) => [mode, mode] as const), ...Object.entries(modeVocabulary(call).values)]
  return words.find(([word]) => typeof written === 'string' && plainName(word) === plainName(written))?.[1]
}

interface CheckedBody extends Omit<Submission, 'name'> {
  readonly call: CallName
}

/**
 * Advice for a body with faults, in case the vendor refuses it. Throws if a correction is known: in permissive mode the vendor would return
 * 200 and drop the faulty parts. If some of a batch's calls would be processed, the correction must fix the whole batch, not just shorten
 * it. Always throws if a call would be incomplete or about the wrong person. Any other body is sent unchanged.
 */
async function adviceFor({ call, body, findings, isStrict }: CheckedBody, now: number): Promise<Advice | undefined> {
  const faults = findings.filter(({ isFault }) => isFault)
  if (faults.length === 0) return undefined
  const { batch } = body.json
  const faulty = new Set(faults.map(indexOfItem))
  const isLost = isStrict || !Array.isArray(batch) || call !== 'batch' || faulty.has(-1) || faulty.size === batch.length
  const isMisdirected = faults.some((each) => each.isMisdirected)
  const advice = await adviseOn({ call, written: body.text, isStrict }, now)
  // A blank id stands for one that the caller has to look up.
  const isBlankId = call !== 'batch' && faults.some(({ at }) => at === '') && idFields.some((name) => body.json[name] === '')
  if (!isMisdirected && !isBlankId) {
    if (!isLost && !advice?.next) return undefined
    if (!advice || (isStrict && advice.isPartial === true)) return advice
  }
  const harm = isMisdirected ? 'ignore what you wrote' : isLost ? 'drop it' : 'drop a part of it'
  const consequence = isStrict ? 'Nothing was sent.' : `Nothing was sent, because Customer.io would answer 200 and ${harm}.`
  const error = new InvalidInput(`${consequence} ${describeFindings(faults)}`)
  throw advice ? withAdvice(error, advice) : error
}

/** Maximum number of ids listed in a result. */
const maxIds = 20

function describeReceipt(receipt: Receipt, checked: CheckedBody, notices: readonly string[]) {
  const { isStrict, httpStatus, waiting, messageIds } = receipt
  const { findings } = checked
  return {
    strict: isStrict,
    ...outcomeOf(receipt, checked),
    ...(httpStatus !== undefined && { http_status: httpStatus }),
    ...(waiting && { outbox: { entries: [...waiting.entries], next_attempt_at: waiting.nextAttemptAt } }),
    ...(waiting && isStrict && { validated: false }),
    message_ids: messageIds.slice(0, maxIds),
    ...(messageIds.length > maxIds && { message_count: messageIds.length }),
    added: describeAdded(receipt.added),
    findings: groupFindings(findings).map(namingBody),
    notices: [...notices, ...deliveryNotices(receipt, findings)],
  }
}

/** Describes the outcome. In permissive mode, a 200 says nothing about calls with faults: Customer.io drops them. */
function outcomeOf(
  { outcome, isStrict, wasSent }: Receipt,
  { call, body, findings }: CheckedBody,
): {
  readonly outcome: Receipt['outcome'] | 'dropped' | 'partly_dropped'
  readonly dropped?: string
} {
  const dropped = [...new Set(findings.filter(({ isFault }) => isFault).map(indexOfItem))].toSorted((a, b) => a - b)
  if (outcome !== 'delivered' || isStrict || !wasSent || dropped.length === 0) return { outcome }
  const { batch } = body.json
  const isWhole = call !== 'batch' || !Array.isArray(batch) || dropped.includes(-1) || dropped.length === batch.length
  return isWhole ? { outcome: 'dropped' } : { outcome: 'partly_dropped', dropped: `batch[${rangesOf(dropped)}]` }
}

/** Names the body itself, whose path is empty. */
const namingBody = <Found extends { readonly at: string }>(found: Found) => (found.at === '' ? { ...found, at: 'request_body' } : found)

/** Added fields, by call; the ids are already in the result. */
function describeAdded(added: readonly AddedFields[]): { at: string; fields: string[] }[] {
  const groups = groupFindings(added.map(({ at, ...fields }) => ({ at, problem: Object.keys(fields).join(), isFault: false })))
  return groups.map(({ at, problem }) => namingBody({ at, fields: problem.split(',') }))
}

function deliveryNotices(receipt: Receipt, findings: readonly Finding[]): string[] {
  const { outcome, isStrict, wasSent, waiting, callBytes, notices } = receipt
  const all = [...notices]
  if (isNearLimit(callBytes))
    all.push('The body is over 32,000 bytes. Customer.io drops calls over 32 KB and does not say whether a KB has 1,000 or 1,024 bytes.')
  if (outcome === 'delivered' && wasSent && !isStrict && findings.some(({ isFault }) => isFault))
    all.push('In permissive mode, HTTP 200 does not mean that the body was valid or was processed: see findings.')
  if (outcome === 'queued') {
    const reason = waiting?.lastError === undefined ? '' : `${waiting.lastError} `
    all.push(`${reason}The event is stored. ${laterDelivery(receipt)} Do not send it again.`)
  }
  return all
}

/** Sentence on what delivers a queued event, for the person who can ensure it. */
function laterDelivery({ storedIn, operatedBy }: Receipt): string {
  if (operatedBy === 'others')
    return 'The server sends it as soon as Customer.io accepts it; if that takes very long, ask the operator of the server to look at its outbox.'
  const command = storedIn === 'database' ? 'outbox retry --store URL' : 'outbox retry'
  return `A server with this ${storedIn} will send it, or \`${command}\` sends it now.`
}
