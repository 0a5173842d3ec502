import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { coverageOf, dig } from '@mcp-toolkits/emulator/testing'
import { expect } from 'vitest'
import { linearEmulator, type LinearEmulatorOptions, type linearRules } from '../src/index.ts'

/** The response to a GraphQL request. */
export interface GraphQLResponse {
  readonly status: number
  readonly headers: Headers
  readonly data: unknown
  readonly errors: readonly JsonObject[]
}

const start = Date.parse('2026-09-16T12:00:00Z')
export const key = { authorization: 'lin_api_emulator' }

/** An emulator with a clock that only `pass` moves, and `ask`, which sends one request. */
export function openEmulator(options: LinearEmulatorOptions = {}) {
  let time = start
  const emulator = linearEmulator({ seed: 'edge-cases', now: () => time, ...options })
  const ask = async (query: string, variables: JsonObject = {}, headers: Record<string, string> = key): Promise<GraphQLResponse> => {
    const response = await emulator.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const body = toObject(await response.json())
    const errors: unknown[] = Array.isArray(body['errors']) ? body['errors'] : []
    return { status: response.status, headers: response.headers, data: body['data'], errors: errors.map(toObject) }
  }
  /** The value at a dotted path in the data; throws the response's errors. */
  const at = async (path: string, query: string, variables: JsonObject = {}) => {
    const { data, errors } = await ask(query, variables)
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    return dig(data, path)
  }
  /** One field of every node in a root connection. */
  const list = async (field: string, query: string, variables: JsonObject = {}) => {
    const root = /^\s*(?:query[^{]*)?\{\s*(\w+)/.exec(query)?.[1] ?? ''
    const nodes = await at(`${root}.nodes`, query, variables)
    return Array.isArray(nodes) ? nodes.map((node) => dig(node, field)) : []
  }
  return {
    ...emulator,
    ask,
    at,
    list,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    now: () => time,
  }
}

/** Matches strings that match a pattern. */
export const like = (part: string | RegExp): unknown => expect.stringMatching(part)

/** Matches any string. */
export const someText: unknown = expect.any(String)

/** The options of a test that covers these rules. */
export const covers = coverageOf<typeof linearRules>()
