import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable, type Fetch } from '@mcp-toolkits/core'
import { http } from '@mcp-toolkits/core/http'
import * as z from 'zod'
import type { Operation } from './operation.ts'
import { failureOf, type Failure } from './failures.ts'
import { presented } from './presentation.ts'

export interface LinearClientOptions {
  /** Adds the credential and goes nowhere but to `url`. */
  readonly fetch: Fetch
  readonly url: string
  /** How long all documents of one call of a tool may take together, in milliseconds; 40 seconds when absent. */
  readonly callMs?: number
}

export interface LinearClient {
  /**
   * Sends one document and resolves with its data, in snake_case and checked against the document's schema. Throws typed errors;
   * what passes by itself is tried again within the budget.
   */
  readonly run: <Vars extends object, Data extends z.ZodType>(
    operation: Operation<Vars, Data>,
    variables: NoInfer<Vars>,
    signal: AbortSignal,
  ) => Promise<z.output<Data>>
  /** This client for one call of a tool: all that is run through it shares one deadline, which starts now. */
  readonly forOneCall: () => LinearClient
}

/** How long one document may take, all attempts together, in milliseconds. */
const budgetMs = 25_000
/** How often a document is sent; the waits between grow, so the budget mostly ends it first when Linear is away. */
const mostAttempts = 7

const Answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({ message: z.string(), path: z.array(z.unknown()).optional(), extensions: z.record(z.string(), z.unknown()).optional() }),
    )
    .optional(),
})

/** A client that sends exactly the documents it is given: one request each, whatever they ask for. */
export function linearClient(options: LinearClientOptions): LinearClient {
  return clientUntil(Number.POSITIVE_INFINITY, options)
}

function clientUntil(end: number, options: LinearClientOptions): LinearClient {
  const { fetch, url, callMs = 40_000 } = options
  return {
    forOneCall: () => clientUntil(Date.now() + callMs, options),
    async run(operation, variables, signal) {
      const deadline = Math.min(Date.now() + budgetMs, end)
      if (deadline <= Date.now())
        throw new Unavailable(`Linear did not answer within ${Math.round(callMs / 1000)} seconds. Repeat the call.`)
      const body = JSON.stringify({ query: operation.text, operationName: operation.name, variables })
      for (let attempt = 1; ; attempt += 1) {
        const send = http({
          fetch,
          vendor: 'Linear',
          retryMethods: ['POST'],
          maxAttempts: mostAttempts,
          budgetMs: Math.max(1, deadline - Date.now()),
        })
        const response = await send(url, { method: 'POST', body, signal, headers: { 'content-type': 'application/json' } })
        const outcome = read(response, await response.text())
        if (outcome.ok) return checked(operation, outcome.data)
        const { failure } = outcome
        // What HTTP says for itself was repeated below; only what stands in the body is repeated here.
        const below = response.status >= 500 || response.status === 429
        if (below || !failure.passing || attempt >= mostAttempts || failure.waitMs > deadline - Date.now()) throw failure.error
        await delay(failure.waitMs + Math.random() * 250 * 2 ** attempt, undefined, { signal })
      }
    },
  }
}

type Outcome = { readonly ok: true; readonly data: Readonly<Record<string, unknown>> } | { readonly ok: false; readonly failure: Failure }

function read(response: Response, text: string): Outcome {
  const answer = Answer.safeParse(parse(text))
  if (!answer.success) return { ok: false, failure: failureOf(response, []) }
  const { data, errors = [] } = answer.data
  if (errors.length > 0 || !data) return { ok: false, failure: failureOf(response, errors) }
  return { ok: true, data }
}

function checked<Data extends z.ZodType>(operation: { readonly name: string; readonly data: Data }, data: unknown): z.output<Data> {
  const parsed = operation.data.safeParse(presented(data))
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new Unavailable(`Linear answered ${operation.name} in a form that this version does not know (at ${where}). Update the server.`, {
    retryable: false,
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
