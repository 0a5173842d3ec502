import { Conflict, type ToolError, Unavailable, type Fetch } from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { createHttpFetch, transientStatuses } from '@mcp-toolkits/core/http'
import { member, parseJson } from '@mcp-toolkits/core/json'
import { isTransient } from '@mcp-toolkits/core/retry'
import * as z from 'zod'
import { conditionOf, type Document, toRecord } from './document.ts'
import { errorOf } from './errors.ts'

interface LinearClientOptions {
  /** Adds the credential, and sends requests to `url` only. */
  readonly fetch: Fetch
  readonly url: string
  readonly clock?: Clock | undefined
  /** How long all documents of one call of a tool may take together, in milliseconds; 40 seconds when absent. */
  readonly callMs?: number
}

export interface LinearClient {
  /** The client for one call of a tool: all its requests share one deadline. */
  readonly forCall: (signal: AbortSignal) => LinearCall
}

export interface LinearCall {
  /**
   * Sends one document and resolves with its data, in snake_case and checked against the document's schema. Throws typed errors;
   * transient ones are retried within the budget.
   */
  readonly run: <Variables extends object, Data extends z.ZodType>(
    document: Document<Variables, Data>,
    variables: NoInfer<Variables>,
  ) => Promise<z.output<Data>>
}

/** How long one document may take, all attempts together, in milliseconds. */
const budgetMs = 25_000
/** How often a document is sent. The backoff grows, so the time of the budget usually runs out first. */
const maxAttempts = 7

const ResponseBody = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({ message: z.string(), path: z.array(z.unknown()).optional(), extensions: z.record(z.string(), z.unknown()).optional() }),
    )
    .optional(),
})

/** A client that sends each document in one request. */
export function linearClient({ fetch, url, clock = systemClock, callMs = 40_000 }: LinearClientOptions): LinearClient {
  return {
    forCall(signal) {
      const deadline = clock.now() + callMs
      return {
        async run(document, variables) {
          const remainingMs = deadline - clock.now()
          if (remainingMs <= 0) throw new Unavailable(`Linear did not answer within ${Math.round(callMs / 1000)} seconds. Repeat the call.`)
          const results: GraphQLResult[] = []
          const send = createHttpFetch({
            async fetch(input, init) {
              const response = await fetch(input, init)
              const result = resultOf(response, await response.text(), clock)
              results.push(result)
              return toRetryableResponse(response, result)
            },
            vendor: 'Linear',
            retryMethods: ['POST'],
            maxAttempts,
            clock,
            budgetMs: Math.min(budgetMs, remainingMs),
          })
          const body = JSON.stringify({
            query: document.text,
            operationName: document.name,
            variables: withConditions(document, variables),
          })
          await send(url, { method: 'POST', body, signal, headers: { 'content-type': 'application/json' } })
          const result = results.at(-1)
          if (result && 'data' in result) return recordsOf(document, result.data)
          throw result?.error ?? new Unavailable('Linear did not answer. Repeat the call.')
        },
      }
    },
  }
}

type GraphQLResult = { readonly data: Readonly<Record<string, unknown>> } | { readonly error: ToolError }

function resultOf(response: Response, text: string, clock: Clock): GraphQLResult {
  const { data, errors = [] } = ResponseBody.safeParse(parseJson(text)).data ?? {}
  return errors.length === 0 && data ? { data } : { error: errorOf(response, errors, clock) }
}

/**
 * The response as the retry loop judges it, by its status. Linear reports many errors only in the body, with HTTP 200 or 400, and these
 * get the corresponding status. The status of a server error decides alone: its body may come from a gateway.
 */
function toRetryableResponse(response: Response, result: GraphQLResult): Response {
  const retryAfter = response.headers.get('retry-after')
  const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
  if (transientStatuses.includes(response.status)) return new Response(null, { status: response.status, ...(headers && { headers }) })
  if ('data' in result || response.status >= 500 || !isTransient(result.error)) return new Response(null)
  const { retryAfterSeconds } = result.error.details
  return new Response(null, {
    status: 503,
    ...(retryAfterSeconds !== undefined ? { headers: { 'retry-after': String(retryAfterSeconds) } } : headers && { headers }),
  })
}

function withConditions(document: Pick<Document<object, z.ZodType>, 'conditions'>, variables: object): Readonly<Record<string, unknown>> {
  const conditions = document.conditions.map((name) => [conditionOf(name), member(variables, name) !== undefined] as const)
  return { ...variables, ...Object.fromEntries(conditions) }
}

function recordsOf<Data extends z.ZodType>(document: { readonly name: string; readonly data: Data }, data: unknown): z.output<Data> {
  const parsed = document.data.safeParse(toRecord(data))
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new Unavailable(`Linear answered ${document.name} in a form that this version does not know (at ${where}). Update the server.`, {
    retryable: false,
  })
}

/** A record that was created, and whether an earlier attempt had created it. */
export interface CreateResult<Record> {
  readonly record: Record
  readonly wasCreatedEarlier: boolean
}

/**
 * Creates a record under an id that we chose. If Linear already has that id, an earlier attempt succeeded although its response was
 * lost, and its record is read.
 */
export async function createOnce<Record>(create: () => Promise<Record>, read: () => Promise<Record>): Promise<CreateResult<Record>> {
  try {
    return { record: await create(), wasCreatedEarlier: false }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    return { record: await read(), wasCreatedEarlier: true }
  }
}
