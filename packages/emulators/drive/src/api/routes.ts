import { callOf, createRouter, type Exchange, type RequestFacts, type ReceivedRequest, isObject, parseJson } from '@mcp-toolkits/emulator'
import type { Grants } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/sqlite'
import type { Hono } from 'hono'
import { DriveError, notEmulated, pathNotFound, toErrorBody } from '../http/errors.ts'
import { parseParams } from '../http/parameters.ts'
import type { QuotaMeter } from '../http/quota.ts'
import { authorizeRoutes } from '../oauth/authorization.ts'
import { answerAssertion, type GoogleServiceAccount, jwtBearer } from '../oauth/service-accounts.ts'
import { callerWithScopes, checkScope, type GoogleClient, identify, type TokenRegistry, tokenRoutes } from '../oauth/tokens.ts'
import { listUsers } from '../people/people.ts'
import type { PickerRegistry } from '../picker/pickers.ts'
import { pickerRoutes } from '../picker/routes.ts'
import { type DriveEndpoint, driveMethods } from '../session/methods.ts'
import { type ItemPages, openSession, type Quirks, type Session, type SessionOptions } from '../session/session.ts'
import { openAccount } from '../sharing/accounts.ts'
import { endExpiredAccess } from '../sharing/effective-access.ts'
import { seenBy, type Viewer } from '../store/viewers.ts'
import { chunkUploadEndpoint, uploadEndpoints } from '../uploads/uploads.ts'
import { allEndpoints, findEndpoint } from './endpoints.ts'

type SharedParts = Pick<SessionOptions, 'contents' | 'quirks' | 'storageLimit' | 'pendingCompletions' | 'hosts' | 'changed'>

export interface RouteOptions extends SharedParts {
  readonly store: Store
  readonly now: () => number
  readonly tokens: TokenRegistry
  readonly meter: QuotaMeter
  /** Current addresses of items' pages. */
  readonly pages: () => ItemPages
  readonly clients: readonly GoogleClient[]
  readonly serviceAccounts: readonly GoogleServiceAccount[]
  readonly grants: Grants
  readonly pickers: PickerRegistry
}

/** All routes: the API, OAuth and the file pickers. */
export function routes(options: RouteOptions): Hono<{ Bindings: Exchange }> {
  const app = createRouter()
  app.all('/upload/drive/v3/files/:fileId?', (context, next) => {
    const { received } = context.env
    return received.url.searchParams.has('upload_id') ? handle(options, chunkUploadEndpoint, { received, parts: {} }) : next()
  })
  for (const endpoint of uploadEndpoints)
    app.on(endpoint.method, `/upload/drive/v3${endpoint.path}`, ({ env, req }) =>
      handle(options, endpoint, { received: env.received, parts: req.param() }),
    )
  for (const [name, { method, path }] of byParameters)
    app.on(method, `/drive/v3${path}`, async ({ env, req }) => {
      const endpoint = await findEndpoint(name)
      if (endpoint === undefined) return toErrorResponse(notEmulated(name), options.quirks)
      return handle(options, endpoint, { received: env.received, parts: req.param() })
    })
  addServices(app, options)
  for (const path of ['/drive/v2/*', '/upload/drive/v2/*'])
    app.all(path, () => toErrorResponse(notEmulated('version 2 of the API'), options.quirks))
  const { store, now } = options
  const people = () => listUsers(store).map(({ permissionId: id, displayName: name, email }) => ({ id, name, email }))
  const viewerFor = (personId: string) => store.write(() => openAccount(store, personId, now()))
  app.route('/', authorizeRoutes({ ...options, people, viewerFor, openPicker: options.pickers.open }))
  app.route('/', tokenRoutes({ ...options, further: { [jwtBearer]: answerAssertion({ ...options, viewerFor }) } }))
  app.route('/', pickerRoutes({ ...options, session: (viewer) => openUserSession(options, viewer) }))
  app.notFound(() => toErrorResponse(pathNotFound(), options.quirks))
  return app
}

/** Routes with fixed paths first, because a fixed segment could also be read as a file id. */
const byParameters = [...driveMethods].sort(([, one], [, other]) => one.path.split('/:').length - other.path.split('/:').length)

/** Adds routes for batches and the discovery document. */
function addServices(app: Hono<{ Bindings: Exchange }>, options: RouteOptions): void {
  const answer = (request: Request, exchange: Exchange) => app.fetch(request, exchange)
  for (const path of ['/batch', '/batch/drive/v3'])
    app.post(path, async ({ env }) => {
      const { answerBatch } = await import('./batch.ts')
      return answerBatch(env, { answer, failed: (error) => failed(options, error) }).catch((error: unknown) => failed(options, error))
    })
  for (const path of ['/discovery/v1/apis/drive/v3/rest', '/$discovery/rest'])
    app.get(path, async ({ env, json }) => {
      const [{ discoveryDocument }, endpoints] = await Promise.all([import('./discovery.ts'), allEndpoints()])
      return json(discoveryDocument(endpoints, `${env.received.url.origin}/`))
    })
}

interface IncomingRequest {
  readonly received: ReceivedRequest
  readonly parts: Readonly<Record<string, string>>
}

async function handle(options: RouteOptions, endpoint: DriveEndpoint, { received, parts }: IncomingRequest): Promise<Response> {
  try {
    await endExpiredAccess(options.store, options.now())
    const session = sessionFor(options, endpoint, received)
    checkScope(session.caller, endpoint.scopes)
    options.meter.spend(endpoint.name, endpoint.units(session))
    const { method, headers, url, body: bytes } = received
    const stream = received.stream ?? []
    const body = () => new TextDecoder().decode(bytes)
    const request = { part: (name: string) => parts[name] ?? '', body, bytes, stream, headers, url, method }
    const result: unknown = await endpoint.answer(session, request)
    if (result instanceof Response) return result
    return result === undefined ? new Response(null, { status: 204 }) : Response.json(result)
  } catch (error) {
    return failed(options, error)
  }
}

/** Turns one of Drive's errors into a response; rethrows any other error, which is not for the caller. */
function failed({ quirks }: RouteOptions, error: unknown): Response {
  if (error instanceof DriveError) return toErrorResponse(error, quirks)
  throw error
}

function sessionFor(options: RouteOptions, { caller, scopes }: DriveEndpoint, { url, headers }: Pick<ReceivedRequest, 'url' | 'headers'>) {
  const { store, tokens } = options
  const now = options.now()
  const authorization = headers.get('authorization')
  const identified = caller !== undefined && authorization === null ? undefined : identify(authorization, tokens, store)
  const known = caller?.(store, { url, now }) ?? identified ?? identify(null, tokens, store)
  return openSession({
    ...options,
    store: seenBy(store, known.viewer),
    pages: options.pages(),
    writes: !scopes.includes('drive.readonly'),
    caller: known,
    call: callOf(headers),
    now,
    params: parseParams(url),
    resourceKeys: headers.get('x-goog-drive-resource-keys'),
  })
}

/** The person's own session, without a token and with full visibility. */
function openUserSession(options: RouteOptions, viewer: Viewer): Session {
  const person = { ...chunkUploadEndpoint, caller: () => callerWithScopes(viewer, ['drive']) }
  return sessionFor(options, person, { url: new URL('http://localhost/?supportsAllDrives=true'), headers: new Headers() })
}

const toErrorResponse = (refusal: DriveError, { newerErrors }: Quirks) =>
  Response.json(toErrorBody(refusal, newerErrors), { status: refusal.status })

/** Identifies an operation across attempts: a create by its id, an upload by its session, others by method and path. */
export function operationName({ method, path, url, headers, body }: ReceivedRequest): string {
  const upload = url.searchParams.get('upload_id')
  if (upload !== null) return upload
  const start = new TextDecoder().decode(body.subarray(0, 4096))
  const isMultipart = headers.get('content-type')?.startsWith('multipart/') ?? false
  const sent = isMultipart ? { id: /"id"\s*:\s*"([^"]+)"/.exec(start)?.[1] } : parseJson(start)
  const id = method === 'POST' && isObject(sent) ? sent['id'] : undefined
  return typeof id === 'string' ? id : `${method} ${path}`
}

/** Facts for the request log; never a token. */
export function describeRequest({ headers, url }: ReceivedRequest): RequestFacts {
  const [kind = ''] = (headers.get('authorization') ?? 'none').split(' ')
  return {
    authorization: kind.toLowerCase(),
    range: headers.get('range') ?? headers.get('content-range'),
    fields: url.searchParams.get('fields'),
  }
}

const secrets = ['token', 'access_token']

/** Redacts tokens in the query and picker paths. */
export function redactForLog(url: URL): URL {
  const shown = new URL(url)
  for (const name of secrets) if (shown.searchParams.has(name)) shown.searchParams.set(name, '*')
  if (shown.pathname.startsWith('/picker/')) shown.pathname = '/picker/*'
  return shown
}
