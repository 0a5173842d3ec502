import { withDetails, InvalidInput, type Tool } from '@mcp-toolkits/core'
import { withJsonSchema } from '@mcp-toolkits/core/json-schema'
import * as z from 'zod'
import { defineTool, type Context } from '../context.ts'
import { readBody } from '../pipelines/body.ts'
import type { CallName } from '../pipelines/call.ts'
import type { Receipt } from '../outbox/outbox.ts'
import { findingsOf } from '../pipelines/findings.ts'
import { openapiOf } from '../pipelines/openapi.ts'
import { destructionNotices } from '../pipelines/semantic-events.ts'
import { isNearLimit } from '../pipelines/size.ts'
import { meantFor, readStrictness, type EnablingValue } from '../pipelines/strictness.ts'

/** What tells one endpoint's tool from another's; all else is the same by design of the API. */
export interface Endpoint {
  readonly name: string
  readonly title: string
  /** What a call does, as one sentence. */
  readonly purpose: string
  readonly call: CallName
  readonly effect: 'create' | 'update'
  readonly destructive?: true
  /** The name of the strictness parameter, and the value that enables it. */
  readonly strictness: readonly ['enable_strict_validation' | 'enable_strict_mode', EnablingValue]
}

const modeParameter = z
  .enum(['get_request_schema', 'execute'])
  .describe('get_request_schema returns the OpenAPI document of request_body and sends nothing. execute sends request_body.')

const requestBody = withJsonSchema(z.unknown(), {
  type: 'string',
  description:
    'JSON text of the request body, one object. Required with execute, ignored with get_request_schema. messageId and timestamp are added where absent.',
}).optional()

const strictnessParameter = (enabling: EnablingValue) =>
  withJsonSchema(z.unknown(), {
    type: 'string',
    description: `Used with execute only. "${enabling}" makes the API answer an invalid body or key with HTTP 400 or 401. With anything else it is permissive: it answers 200 whatever it gets.`,
  }).optional()

const inputs = {
  enable_strict_validation: (value: EnablingValue) =>
    z.strictObject({ mode: modeParameter, enable_strict_validation: strictnessParameter(value), request_body: requestBody }),
  enable_strict_mode: (value: EnablingValue) =>
    z.strictObject({ mode: modeParameter, enable_strict_mode: strictnessParameter(value), request_body: requestBody }),
} as const

const output = z.object({
  mode: modeParameter,
  openapi: z.record(z.string(), z.unknown()).optional().describe('With get_request_schema: the OpenAPI 3.1 document of request_body.'),
  strict: z.boolean().optional().describe('Whether the vendor is asked to validate the body.'),
  outcome: z
    .enum(['delivered', 'queued'])
    .optional()
    .describe(
      'delivered: the vendor took the request. queued: it could not be sent yet; the request is kept and sent later, so do not send it again.',
    ),
  http_status: z.number().optional().describe("The vendor's status; absent while queued."),
  validated: z.boolean().optional().describe('false in strict mode while queued: the vendor has not validated the body yet.'),
  outbox: z
    .object({ entries: z.array(z.number()), next_attempt_at: z.string() })
    .optional()
    .describe('What waits, while queued: entry numbers of the outbox and when it is tried again.'),
  message_ids: z
    .array(z.string())
    .optional()
    .describe('Id of every call sent, in order. Keep them: a repeat under the same id counts once.'),
  added: z
    .array(z.object({ at: z.string(), messageId: z.string().optional(), timestamp: z.string().optional() }))
    .optional()
    .describe('What was added to the body, and where.'),
  findings: z
    .array(z.object({ at: z.string(), problem: z.string() }))
    .optional()
    .describe('What a local check found wrong with the body. The vendor may drop it although it answered 200.'),
  notices: z.array(z.string()).optional().describe('What else to know about this call.'),
})

/** The tool of one endpoint. */
export function endpointTool(endpoint: Endpoint): Tool<Context> {
  const { call, purpose, strictness, ...described } = endpoint
  const [parameter, enabling] = strictness
  const tool = defineTool({
    ...described,
    description: `${purpose} A direct mapping of POST /${call} of the Customer.io Pipelines API, not tuned for language models: evaluate it before production use. Call it with mode get_request_schema to learn the request body, then with mode execute.`,
    scopes: [],
    input: inputs[parameter](enabling),
    output,
    writes: (args) => args.mode === 'execute',
    async run({ mode, request_body: given, ...others }, { outbox }, { signal, progress }) {
      if (mode === 'get_request_schema') return { mode, openapi: openapiOf(call) }
      if (given === undefined) throw missingBody(described.name)
      const wanted = readStrictness(parameter, enabling, Object.values(others)[0])
      const body = readBody(given)
      const receipt = await outbox.submit({ name: call, body, strict: wanted.strict }, { signal, progress })
      const { outcome, strict, status, messageIds, added, waiting } = receipt
      return {
        mode,
        strict,
        outcome,
        ...(status !== undefined && { http_status: status }),
        ...(waiting && { outbox: { entries: [...waiting.entries], next_attempt_at: waiting.nextAttemptAt } }),
        ...(waiting && strict && { validated: false }),
        message_ids: [...messageIds],
        added: [...added],
        findings: findingsOf(call, body.json),
        notices: [
          ...(wanted.notice === undefined ? [] : [wanted.notice]),
          ...body.notices,
          ...destructionNotices(call, body.json),
          ...noticesOf(strict, receipt),
        ],
      }
    },
  })
  return {
    ...tool,
    call: (args, context, call) =>
      tool.call(args, context, call).catch((error: unknown) => {
        throw renamed(error, strictness)
      }),
  }
}

/** A value that came under another tool's parameter name is that tool's too: as it is, it would be permissive here. */
function renamed(error: unknown, [parameter, enabling]: Endpoint['strictness']): unknown {
  const change = error instanceof InvalidInput ? error.details.next?.change : undefined
  if (!(error instanceof InvalidInput) || !change || !(parameter in change)) return error
  const meant = meantFor(enabling, change[parameter])
  if (meant !== undefined)
    return withDetails(error, error.message, { ...error.details, next: { change: { ...change, [parameter]: meant } } })
  const { suggestions = [] } = error.details
  return withDetails(error, `${error.message} The value given does not enable strict validation: pass ${parameter} "${enabling}".`, {
    suggestions,
  })
}

function missingBody(tool: string): InvalidInput {
  return new InvalidInput('"request_body" is required with mode execute. Mode get_request_schema returns what belongs in it.', {
    next: { tool: `EventPipelineApi.${tool}`, arguments: { mode: 'get_request_schema' } },
  })
}

function noticesOf(strict: boolean, { outcome, notices, callBytes, sent, waiting }: Receipt): string[] {
  const told =
    outcome === 'delivered' && sent && !strict
      ? ['HTTP 200 in permissive mode does not prove that the body was valid or was processed.']
      : []
  const why = waiting?.lastFailure === undefined ? [] : [waiting.lastFailure]
  const kept = [
    'The request could not be sent yet.',
    ...why,
    'It is kept on disk; do not send it again. A server that runs on the same data directory sends it as soon as it can; where none runs, `outbox retry` or the next one to start does.',
  ]
  const waits = outcome === 'queued' ? [kept.join(' ')] : []
  const near = isNearLimit(callBytes)
    ? ['The body is over 32,000 bytes; the vendor drops calls over 32 KB and does not say how many bytes that is.']
    : []
  return [...notices, ...near, ...told, ...waits]
}
