import { randomUUID } from 'node:crypto'
import { Conflict, NotFound, Unavailable, type Fetch } from '@mcp-toolkits/core'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import type { Identity, Operation } from '@mcp-toolkits/core/idempotency'
import { member, parseJson } from '@mcp-toolkits/core/json'
import { repeatedPage } from '@mcp-toolkits/core/pagination'
import { type CompleteResponse, jsonOf } from '@mcp-toolkits/core/response'
import type { Telemetry } from '@mcp-toolkits/core/telemetry'
import { createTransport, transientStatuses } from '@mcp-toolkits/core/transport'
import { memoryLimits, type UpstreamLimits } from '@mcp-toolkits/core/upstream-limits'
import * as z from 'zod'
import { conditionOf, type Document, toRecord } from './document.ts'
import { errorOf, gatewayError, holdsIn, noData } from './errors.ts'

interface LinearClientOptions {
  /** Adds the credential, and sends requests to `url` only. */
  readonly fetch: Fetch
  readonly url: string
  readonly clock?: Clock | undefined
  /** In the memory of this client when absent. */
  readonly limits?: UpstreamLimits | undefined
  readonly telemetry?: Telemetry | undefined
}

/** All calls of a client share what Linear allows its account. */
export interface LinearClient {
  /** The client for one call of a tool: all its requests end with the call. */
  readonly forCall: (scope: CallScope) => LinearCall
}

export interface LinearCall {
  /**
   * Sends one document and resolves with its data, in snake_case and checked against the document's schema. Throws typed errors;
   * transient ones are retried.
   */
  readonly run: <Variables extends object, Data extends z.ZodType>(
    document: Document<Variables, Data>,
    variables: NoInfer<Variables>,
  ) => Promise<z.output<Data>>
}

/** How often a document is sent. The backoff grows, so the time of the call usually runs out first. */
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
export function linearClient({
  fetch,
  url,
  clock = systemClock,
  limits = memoryLimits(clock),
  telemetry,
}: LinearClientOptions): LinearClient {
  const transport = createTransport({
    fetch,
    vendor: 'Linear',
    limits,
    telemetry,
    holdsIn: (response, error) => holdsIn(response, error, clock),
  })
  return {
    forCall: (scope) => ({
      async run(document, variables) {
        const body = JSON.stringify({
          query: document.text,
          operationName: document.name,
          variables: withConditions(document, variables),
        })
        const headers = { 'content-type': 'application/json' }
        const isWrite = document.text.startsWith('mutation')
        const request = { url, method: 'POST', isWrite, headers, body, operation: document.name, maxAttempts }
        const read = (response: CompleteResponse) => {
          const data = dataOf(response, clock)
          if (isPageAfter(data, member(variables, 'after'))) throw repeatedPage('Linear')
          return recordsOf(document, data)
        }
        return transport.send(request, read, scope)
      },
    }),
  }
}

/**
 * The data of a response. Throws typed errors. Linear reports many errors only in the body, with HTTP 200 or 400. The status of a
 * server error decides alone: its body may come from a gateway.
 */
function dataOf(response: CompleteResponse, clock: Clock): Readonly<Record<string, unknown>> {
  if (response.status !== 429 && transientStatuses.includes(response.status)) throw gatewayError(response, clock)
  const json = response.ok ? jsonOf(response, 'Linear') : parseJson(response.text)
  const { data, errors = [] } = ResponseBody.safeParse(json).data ?? {}
  if (errors.length > 0 || !response.ok) throw errorOf(response, errors, clock)
  if (!data) throw noData()
  return data
}

/** Whether a page ends at the cursor after which it should begin: following it would never end. */
function isPageAfter(value: unknown, cursor: unknown): boolean {
  if (typeof cursor !== 'string' || typeof value !== 'object' || value === null) return false
  if (member(value, 'hasNextPage') === true && member(value, 'endCursor') === cursor) return true
  return Object.values(value).some((each) => isPageAfter(each, cursor))
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
 * lost, and its record is read. Throws `Conflict` where that cannot be read.
 */
export async function createOnce<Record>(create: () => Promise<Record>, read: () => Promise<Record>): Promise<CreateResult<Record>> {
  try {
    return { record: await create(), wasCreatedEarlier: false }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const record = await read().catch((missing: unknown) => {
      throw missing instanceof NotFound ? new CreatedButMissing() : missing
    })
    return { record, wasCreatedEarlier: true }
  }
}

/** The error for an id of ours that Linear has and under which it shows nothing. */
export class CreatedButMissing extends Conflict {
  constructor() {
    super(
      'An earlier attempt of this call had created it, and Linear does not show it now: it was deleted, or cannot be read yet. Nothing was created now. Look for it first. To create it anew, change an argument or make the call again in ten minutes; if it has an idempotency key, use another key.',
    )
  }
}

/** The result of a creation, and the identity under which it succeeded. */
interface UniqueCreation<Result> {
  readonly identity: Identity
  readonly result: Result
  /** Whether an earlier call had created one that was deleted since. */
  readonly isReplacement: boolean
}

/**
 * Creates something that the caller has just looked for and not found. If an earlier call had created it, it was deleted since then, and
 * is created again under another identity. After an attempt of this call alone it may be too new to be shown: then `CreatedButMissing` is thrown.
 */
export async function createUnique<Result>(
  operation: Operation,
  create: (identity: Identity) => Promise<Result>,
): Promise<UniqueCreation<Result>> {
  const identity = await operation.begin()
  try {
    return { identity, result: await create(identity), isReplacement: false }
  } catch (error) {
    if (!(error instanceof CreatedButMissing) || !identity.isRepeat) throw error
    const other = await operation.renew(async () => Promise.resolve(randomUUID()))
    return { identity: other, result: await create(other), isReplacement: true }
  }
}
