import { excessOf, isObject, member, stringMember } from '@mcp-toolkits/core/base'

/** Limits on a message: far more than arguments need, yet small enough to parse in one go. */
const jsonLimits = { maxDepth: 140, maxMembers: 10_000, maxContainers: 500_000 }

const excesses = {
  maxDepth: `nests lists and objects more than ${jsonLimits.maxDepth} levels deep`,
  maxMembers: `has an object with more than ${jsonLimits.maxMembers} members`,
  maxContainers: `has more than ${jsonLimits.maxContainers} lists and objects`,
} as const

/** One sentence on why a message cannot be parsed; undefined if it can. */
export function structureProblem(text: string): string | undefined {
  const excess = excessOf(text, jsonLimits)
  return excess && `The message ${excesses[excess]}.`
}

/** Refusal of a batched call whose kind is limited to a few at a time: a batch could contain many. */
export const notInBatch = 'A call that can take long or have a large result cannot be part of a batch. Send it on its own.'

/** A JSON-RPC error without an id. */
export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}

/** Maximum length of a request's id, in characters: responses repeat it. */
const maxIdLength = 256

/**
 * Maximum number of characters in names and strings, and of values, in a request. The call's arguments, which have separate limits, and a
 * question's state, which is signed, do not count. Limited because protocol errors quote parts of the request.
 */
const maxEnvelopeLength = 64 * 1024
const maxEnvelopeValues = 2_000

/** Maximum length of a question's state, in characters. */
const maxStateLength = 1024 * 1024

/** One sentence on a JSON-RPC request that is too large even without its call's arguments; undefined if it is not. */
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

/** The names of the tools that a request calls, as received; empty for a call without a name. */
export function callsIn(request: unknown): readonly string[] {
  const messages: readonly unknown[] = Array.isArray(request) ? request : [request]
  return messages
    .filter((message) => member(message, 'method') === 'tools/call')
    .map((message) => stringMember(member(message, 'params'), 'name') ?? '')
}

/** The response to a request that is too large. It does not repeat an overlong id. */
export function refusalOf(request: unknown, problem: string) {
  const id = member(request, 'id')
  const canRepeat = typeof id === 'number' || (typeof id === 'string' && id.length <= maxIdLength)
  return { ...rpcError(-32600, problem), id: canRepeat ? id : null }
}

function withoutArguments(params: object): object {
  return { ...params, arguments: undefined, requestState: undefined }
}

/** True if a value fits into the budget, which it reduces. Stops at the first excess. */
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
