import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Secret } from '@mcp-toolkits/core/upstream'
import { readVaultKeys, type VaultKey } from '@mcp-toolkits/team/vault'
import { onTestFinished } from 'vitest'
import { type IdentityProvider, type IdentityProviderOptions, startIdentityProvider } from './identity-provider/identity-provider.ts'

/** One of several servers that share an address and a database. */
export interface Replica {
  /** Returns undefined for a request that is not for one of the server's pages. */
  readonly pages: (request: Request) => Promise<Response | undefined>
}

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
}

/** The context in which a replica is opened. */
export interface ReplicaContext {
  readonly url: string
  readonly databaseFile: string
  readonly keys: readonly VaultKey[]
  /** The identity provider, with the server's client there. */
  readonly identityProvider: { readonly issuer: string; readonly clientId: string; readonly clientSecret: Secret }
  readonly log: Readonly<Record<'info' | 'warn' | 'error', (message: string, fields?: Readonly<Record<string, unknown>>) => void>>
}

/** Number of replicas, and the function that opens one. */
export interface ReplicatedServerOptions<R extends Replica> {
  readonly replicas: number
  readonly people: IdentityProviderOptions
  readonly open: (context: ReplicaContext) => Promise<R>
  /** Answers requests that are not for a page; if undefined, the pages answer everything. */
  readonly answer?: (replica: R, incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | undefined
}

/** Replicas behind one address, with their shared state. */
export interface ReplicatedServer<R extends Replica> {
  readonly url: string
  readonly identityProvider: IdentityProvider
  readonly databaseFile: string
  readonly log: readonly LogLine[]
  readonly first: R
  readonly replicas: readonly R[]
  /** Replaces all replicas with a single new one, like a restart with the same database. */
  readonly restart: () => Promise<void>
}

/** Starts a company's identity provider, and replicas that answer in turn and share only a database. All end with the test. */
export async function startReplicatedServer<R extends Replica>(options: ReplicatedServerOptions<R>): Promise<ReplicatedServer<R>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'replicas-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const identityProvider = await startIdentityProvider(options.people)
  onTestFinished(() => identityProvider.stop())
  const replicas: R[] = []
  const url = await serveInTurn(replicas, options.answer)
  const log: LogLine[] = []
  const logAt = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) => void log.push({ level, ...fields })
  const { id: clientId, secret } = identityProvider.signInClient
  const context: ReplicaContext = {
    url,
    databaseFile: path.join(directory, 'team.db'),
    keys: readVaultKeys(`test:${randomBytes(32).toString('base64')}`),
    identityProvider: { issuer: identityProvider.issuer, clientId, clientSecret: new Secret(secret) },
    log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
  }
  for (let count = 0; count < options.replicas; count += 1) replicas.push(await options.open(context))
  const [first] = replicas
  if (!first) throw new Error('No replica was started: `replicas` must be at least 1.')
  const { databaseFile } = context
  const restart = async () => void replicas.splice(0, replicas.length, await options.open(context))
  return { url, identityProvider, databaseFile, log, first, replicas, restart }
}

/** The address of a listener whose requests the replicas answer in turn; a failed request gets 500. */
async function serveInTurn<R extends Replica>(replicas: readonly R[], answer: ReplicatedServerOptions<R>['answer']): Promise<string> {
  let turn = 0
  let url = ''
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const replica = replicas[turn++ % replicas.length]
    const answered = replica && answer?.(replica, incoming, outgoing)
    if (answered) return answered
    const response = await replica?.pages(await requestOf(incoming, url))
    if (!response) return void outgoing.writeHead(404).end()
    outgoing.writeHead(response.status, [...response.headers].flat()).end(Buffer.from(await response.arrayBuffer()))
  }
  const listener = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(500).end(String(error))
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    listener.close()
    listener.closeAllConnections()
  })
  const address = listener.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server is not listening on a port.')
  url = `http://127.0.0.1:${address.port}`
  return url
}

async function requestOf(incoming: IncomingMessage, origin: string): Promise<Request> {
  const { method = 'GET', url = '/', headersDistinct } = incoming
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]))
  const body = method === 'GET' || method === 'HEAD' ? undefined : await buffer(incoming)
  return new Request(new URL(url, origin), { method, headers, ...(body && { body }) })
}
