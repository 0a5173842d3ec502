import { InvalidInput, type Tool } from '@mcp-toolkits/core'
import { withJsonSchema } from '@mcp-toolkits/core/json-schema'
import * as z from 'zod'
import { type Context, defineTool } from '../context.ts'
import type { Receipt } from '../outbox/outbox.ts'
import { readBody } from '../pipelines/body-reader.ts'
import type { CallName } from '../pipelines/calls.ts'
import { destructionNotices, findingsIn } from '../pipelines/findings.ts'
import { isNearLimit } from '../pipelines/limits.ts'
import { openapiOf } from '../pipelines/openapi.ts'
import { adaptCorrection, type EnablingValue, readStrictness, type StrictnessParameter } from './strictness.ts'

/** What differs between the tools of the endpoints. */
export interface EndpointTool {
  readonly name: string
  readonly title: string
  /** What a call does, in one or two sentences. */
  readonly purpose: string
  readonly call: CallName
  readonly effect: 'create' | 'update'
  readonly destructive?: true
  readonly strictness: StrictnessParameter
}

const modeParameter = z
  .enum(['get_request_schema', 'execute'])
  .describe('get_request_schema returns the OpenAPI document of request_body and sends nothing. execute sends request_body.')

/** Longest request body, in UTF-16 units: as much as one line over stdio can hold. A large batch is split into several requests. */
const maxBodyLength = 10 * 1024 * 1024

const requestBody = withJsonSchema(z.unknown(), {
  type: 'string',
  maxLength: maxBodyLength,
  description:
    'JSON text of the request body, one object. Required with execute, ignored with get_request_schema. messageId and timestamp are added where absent.',
}).optional()

const strictnessParameter = (enabling: EnablingValue) =>
  withJsonSchema(z.unknown(), {
    type: 'string',
    maxLength: 100,
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
      'delivered: the vendor accepted the request. queued: it could not be sent yet; the request is stored and sent later, so do not send it again.',
    ),
  http_status: z.number().optional().describe("The vendor's status; absent while queued."),
  validated: z.boolean().optional().describe('false in strict mode while queued: the vendor has not validated the body yet.'),
  outbox: z
    .object({ entries: z.array(z.number()), next_attempt_at: z.string() })
    .optional()
    .describe('While queued: the entries of the outbox and the time of the next attempt.'),
  message_ids: z
    .array(z.string())
    .optional()
    .describe('Id of every call sent, in order. Keep them: a repeat under the same id counts once.'),
  added: z
    .array(z.object({ at: z.string(), messageId: z.string().optional(), timestamp: z.string().optional() }))
    .optional()
    .describe('The fields added to the body, and where.'),
  findings: z
    .array(z.object({ at: z.string(), problem: z.string() }))
    .optional()
    .describe('Mistakes that a local check found in the body. The vendor may drop it although it answered 200.'),
  notices: z.array(z.string()).optional().describe('Other facts about this call.'),
})

/** The tool of one endpoint. */
export function endpointTool({ call, purpose, strictness, ...endpoint }: EndpointTool): Tool<Context> {
  const tool = defineTool({
    ...endpoint,
    description: `${purpose} A direct mapping of POST /${call} of the Customer.io Pipelines API, not tuned for language models: evaluate it before production use. Call it with mode get_request_schema to learn the request body, then with mode execute.`,
    scopes: [],
    input: inputs[strictness.name](strictness.enabling),
    output,
    writes: ({ mode }) => mode === 'execute',
    async run({ mode, request_body: requestBody, ...others }, { outbox }, { scope, signal, progress, operation }) {
      if (mode === 'get_request_schema') return { mode, openapi: openapiOf(call) }
      if (requestBody === undefined) throw missingBody(endpoint.name)
      const { strict: isStrict, notice } = readStrictness(strictness, Object.values(others)[0])
      const body = await readBody(requestBody, call)
      const receipt = await (await outbox()).submit({ name: call, body, isStrict }, { operation, signal, progress })
      const { httpStatus, waiting } = receipt
      const findings = await findingsIn(call, body.json, scope.clock)
      return {
        mode,
        strict: receipt.isStrict,
        outcome: receipt.outcome,
        ...(httpStatus !== undefined && { http_status: httpStatus }),
        ...(waiting && { outbox: { entries: [...waiting.entries], next_attempt_at: waiting.nextAttemptAt } }),
        ...(waiting && receipt.isStrict && { validated: false }),
        message_ids: [...receipt.messageIds],
        added: [...receipt.added],
        findings,
        notices: [
          ...(notice === undefined ? [] : [notice]),
          ...body.notices,
          ...destructionNotices(call, body),
          ...deliveryNotices(receipt),
        ],
      }
    },
  })
  return {
    ...tool,
    call: (args, context, options) =>
      tool.call(args, context, options).catch((error: unknown) => {
        throw adaptCorrection(error, strictness)
      }),
  }
}

function missingBody(tool: string): InvalidInput {
  return new InvalidInput('"request_body" is required with mode execute. Mode get_request_schema returns its schema.', {
    next: { tool: `EventPipelineApi.${tool}`, arguments: { mode: 'get_request_schema' } },
  })
}

function deliveryNotices({ outcome, isStrict, wasSent, waiting, callBytes, notices }: Receipt): string[] {
  const all = [...notices]
  if (isNearLimit(callBytes))
    all.push('The body is over 32,000 bytes; the vendor drops calls over 32 KB and does not document how many bytes that is.')
  if (outcome === 'delivered' && wasSent && !isStrict)
    all.push('HTTP 200 in permissive mode does not prove that the body was valid or was processed.')
  if (outcome === 'queued') {
    const reason = waiting?.lastError === undefined ? '' : `${waiting.lastError} `
    all.push(
      `The request could not be sent yet. ${reason}It is stored on disk; do not send it again. A running server with the same data directory sends it as soon as possible; without one, \`outbox retry\` or the next server that starts does.`,
    )
  }
  return all
}
