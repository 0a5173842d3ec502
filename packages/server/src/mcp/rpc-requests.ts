import { excessOf, isObject, member, stringMember } from '@mcp-toolkits/core/base'

/** Far more than arguments hold, and little enough to be parsed at once. */
const jsonLimits = { maxDepth: 140, maxMembers: 10_000, maxContainers: 500_000 }

const excesses = {
  maxDepth: `nests lists and objects more than ${jsonLimits.maxDepth} levels deep`,
  maxMembers: `has an object with more than ${jsonLimits.maxMembers} members`,
  maxContainers: `has more than ${jsonLimits.maxContainers} lists and objects`,
} as const

/** Why a message is not even parsed, as one sentence; undefined for one that can be. */
export function structureProblem(text: string): string | undefined {
  const excess = excessOf(text, jsonLimits)
  return excess && `The message ${excesses[excess]}.`
}

/** Rule for calls that are limited to a few at a time: a batch could have many. */
export const notInBatch = 'A call that can take long or have a large result cannot be part of a batch. Send it on its own.'

/** An error of JSON-RPC without an id. */
export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}

/** Longest id of a request in characters: answers repeat it. */
const maxIdLength = 256

/**
 * Largest request without the arguments of its call, which are limited separately, and without the state of a question, which is signed:
 * characters of names and texts, and number of values. The protocol's errors repeat parts of it.
 */
const maxEnvelopeLength = 64 * 1024
const maxEnvelopeValues = 2_000

/** Longest state of a question, in characters. */
const maxStateLength = 1024 * 1024

/** Fault of a JSON-RPC request that is too large outside the arguments of its call, in one sentence; undefined if there is none. */
export function requestProblem(request: unknown): string | undefined {
  if (Array.isArray(request)) return request.map(requestProblem).find((problem) => problem !== undefined)
  const id = member(request, 'id')
  if (typeof id === 'string' && id.length > maxIdLength) return `The id has ${id.length} characters; at most ${maxIdLength} are allowed.`
  const params = member(request, 'params')
  const state = member(params, 'requestState')
  if (typeof state === 'string' && state.length > maxStateLength)
    return `requestState has ${state.length} characters; at most ${maxStateLength} are allowed.`
  const budget = { length: maxEnvelopeLength, values: maxEnvelopeValues }
  const fits = isObject(request) && isObject(params) ? fitsWithin(budget, { ...request, params: withoutArguments(params) }) : true
  return fits
    ? undefined
    : `Without its arguments the request is larger than ${maxEnvelopeLength} characters or ${maxEnvelopeValues} values.`
}

/** The names of the tools that a request calls, as they came; empty for a call without a name. */
export function callsIn(request: unknown): readonly string[] {
  const messages: readonly unknown[] = Array.isArray(request) ? request : [request]
  return messages
    .filter((message) => member(message, 'method') === 'tools/call')
    .map((message) => stringMember(member(message, 'params'), 'name') ?? '')
}

/** The answer to a request that is too large. An id that is too long is not repeated. */
export function refusalOf(request: unknown, problem: string) {
  const id = member(request, 'id')
  const canRepeat = typeof id === 'number' || (typeof id === 'string' && id.length <= maxIdLength)
  return { ...rpcError(-32600, problem), id: canRepeat ? id : null }
}

function withoutArguments(params: object): object {
  return { ...params, arguments: undefined, requestState: undefined }
}

/** True if a value is within the budget, which it then reduces. Stops as soon as it is not. */
function fitsWithin(budget: { length: number; values: number }, value: unknown): boolean {
  budget.values -= 1
  if (typeof value === 'string') budget.length -= value.length
  if (budget.values < 0 || budget.length < 0) return false
  if (Array.isArray(value)) return value.every((item) => fitsWithin(budget, item))
  if (!isObject(value)) return true
  return Object.entries(value).every(([name, item]) => {
    budget.length -= name.length
    return fitsWithin(budget, item)
  })
}
