import { type RequestFacts, type ReceivedRequest, isObject, parseJson, stringAt, type JsonObject } from '@mcp-toolkits/emulator'
import { badDocument } from '../errors.ts'

/** The parts of a GraphQL request. */
export function parseCall({ body }: ReceivedRequest) {
  const parsed = parseJson(new TextDecoder().decode(body))
  const sent = isObject(parsed) ? parsed : {}
  const { query, variables, operationName } = sent
  if (typeof query !== 'string') throw badDocument('The body must be JSON with a query.', 'BAD_REQUEST')
  return {
    query,
    variables: isObject(variables) ? variables : {},
    operationName: typeof operationName === 'string' ? operationName : undefined,
  }
}

function partsOf({ body }: ReceivedRequest): { name: string; kind: string; variables: JsonObject } {
  const parsed = parseJson(new TextDecoder().decode(body))
  const sent = isObject(parsed) ? parsed : {}
  const query = typeof sent['query'] === 'string' ? sent['query'] : ''
  const [, kind = 'query', inDocument = 'anonymous'] = /\b(query|mutation)\s+(\w+)/.exec(query) ?? []
  const name = typeof sent['operationName'] === 'string' ? sent['operationName'] : inDocument
  return { name, kind, variables: isObject(sent['variables']) ? sent['variables'] : {} }
}

/** A create is known by the id that its client minted, everything else by its name and its target. */
export function operationOf(received: ReceivedRequest): string {
  if (isOAuth(received)) return received.path
  const { name, variables } = partsOf(received)
  const { input, id, ...others } = variables
  const minted = [input, ...Object.values(others)].find((value) => isObject(value) && typeof value['id'] === 'string')
  if (isObject(minted)) return stringAt(minted, 'id')
  return typeof id === 'string' ? `${name} ${id}` : name
}

/** What the log notes: never a document, a variable or a token. */
export function factsOf(received: ReceivedRequest): RequestFacts {
  if (isOAuth(received)) return { operation: received.path.slice('/oauth/'.length), kind: 'oauth' }
  const { name, kind } = partsOf(received)
  const authorization = received.headers.get('authorization')
  return { operation: name, kind, authorization: authorization === null ? 'none' : authorization.startsWith('Bearer ') ? 'bearer' : 'key' }
}

const isOAuth = ({ path }: ReceivedRequest) => path.startsWith('/oauth/')
