import { callOf, isObject, parseJson, type ReceivedRequest, type RequestFacts, stringAt } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import { authenticate, type Caller, type Credentials } from '../auth.ts'
import { optionalObject } from '../engine/inputs.ts'
import { badDocument, LinearError } from '../errors.ts'
import type { RateLimiter } from '../rate-limits.ts'
import { openSession } from '../store/session.ts'
import { loadDeclarations } from '../vendor/declarations.ts'
import { entityTypes } from '../entities.ts'
import { answerUpload } from '../uploads/uploads.ts'
import type { Webhooks } from '../webhooks/sender.ts'

export interface GraphQLEndpoint {
  readonly store: Store
  readonly now: () => number
  readonly credentials: Credentials
  /** The rate limiter for the caller's user and kind of credential. */
  readonly rateLimiterOf: (caller: Caller) => RateLimiter
  /** Starts delivery to webhooks. */
  readonly webhooks: () => Webhooks
  /** Address at which a program reaches the emulator, given the URL of its request. */
  readonly origin: (sent: URL) => string
  /** The same for file URLs: the address of the workspace's pages, if there are any, so that a person can open a file. */
  readonly files: (sent: URL) => string
  /** Address of the workspace's pages, without a trailing slash; undefined while there are none. */
  readonly pages: () => string | undefined
  /** True if the operation fails after its first mutation. */
  readonly isInterrupted: (operation: () => string) => boolean
}

/** Loads the code that requests need; a program that only starts an emulator does without it. */
export async function preloadLinear() {
  const [execution] = await Promise.all([import('./execute.ts'), loadDeclarations()])
  return execution
}

/** Answers `POST /graphql`. */
export async function answerGraphQL(request: ReceivedRequest, endpoint: GraphQLEndpoint): Promise<Response> {
  const headers: Record<string, string> = {}
  try {
    const caller = authenticate(request.headers.get('authorization'), endpoint.credentials)
    const rateLimiter = endpoint.rateLimiterOf(caller)
    const setLimitHeaders = () => Object.assign(headers, rateLimiter.headers())
    setLimitHeaders()
    rateLimiter.takeRequest()
    setLimitHeaders()
    const { onMutation } = endpoint.webhooks()
    const { query, ...body } = bodyOf(request)
    if (query === undefined) throw badDocument('The body must be JSON with a query.', 'BAD_REQUEST')
    const call = {
      query,
      ...body,
      caller,
      isInterrupted: endpoint.isInterrupted(() => operationOf(request)),
      openSession(complexity: number) {
        headers['x-complexity'] = String(complexity)
        rateLimiter.takePoints(complexity)
        setLimitHeaders()
        const { store, now, pages } = endpoint
        const session = {
          origin: () => endpoint.origin(request.url),
          files: () => endpoint.files(request.url),
          viewerId: caller.viewerId,
          call: callOf(request.headers),
          now: now(),
          rateLimits: rateLimiter.status,
        }
        return openSession({ store, entityTypes, onMutation, pages, ...session })
      },
    }
    const { execute } = await preloadLinear()
    const answer = await execute(call)
    return Response.json(answer.body, { status: answer.status, headers })
  } catch (error) {
    if (!(error instanceof LinearError)) throw error
    const { message, extensions, status } = error
    return Response.json({ errors: [{ message, extensions }] }, { status, headers })
  }
}

/** Answers a request that is not GraphQL. */
export async function answerOther(request: ReceivedRequest, { store, credentials }: GraphQLEndpoint): Promise<Response> {
  const isAuthorized = isAuthentic(request.headers.get('authorization'), credentials)
  return (await answerUpload(request, { store, isAuthorized })) ?? new Response('404 Not Found', { status: 404 })
}

function isAuthentic(authorization: string | null, credentials: Credentials): boolean {
  try {
    authenticate(authorization, credentials)
    return true
  } catch {
    return false
  }
}

/** The parts of a request's body that have the right types. */
function bodyOf({ body }: ReceivedRequest) {
  const { query, variables, operationName } = optionalObject(parseJson(new TextDecoder().decode(body)))
  return {
    query: typeof query === 'string' ? query : undefined,
    variables: optionalObject(variables),
    operationName: typeof operationName === 'string' ? operationName : undefined,
  }
}

function describeCall(request: ReceivedRequest) {
  const { query = '', operationName, variables } = bodyOf(request)
  const [, kind = 'query', nameInDocument = 'anonymous'] = /\b(query|mutation)\s+(\w+)/.exec(query) ?? []
  return { name: operationName ?? nameInDocument, kind, variables }
}

/** A request's label: the id in a create, or the name and target of any other call. */
export function operationOf(request: ReceivedRequest): string {
  if (isOAuth(request)) return request.path
  const { name, variables } = describeCall(request)
  const { input, id, ...others } = variables
  const withId = [input, ...Object.values(others)].find((value) => isObject(value) && typeof value['id'] === 'string')
  if (isObject(withId)) return stringAt(withId, 'id')
  return typeof id === 'string' ? `${name} ${id}` : name
}

/** Facts for the request log: never a document, a variable or a token. */
export function factsOf(request: ReceivedRequest): RequestFacts {
  if (isOAuth(request)) return { operation: request.path.slice('/oauth/'.length), kind: 'oauth' }
  const { name, kind } = describeCall(request)
  const authorization = request.headers.get('authorization')
  return { operation: name, kind, authorization: authorization === null ? 'none' : authorization.startsWith('Bearer ') ? 'bearer' : 'key' }
}

const isOAuth = ({ path }: ReceivedRequest) => path.startsWith('/oauth/')
