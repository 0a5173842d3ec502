import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type AuthorizationServer, openAuthorizationServer } from '@mcp-toolkits/auth/authorization-server'
import { Secret } from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import type { ExpiringRecords } from '@mcp-toolkits/core/expiring-records'
import { StoreError } from '@mcp-toolkits/store'
import { openPeopleFile } from '@mcp-toolkits/store/people-file'
import { readVaultKeys } from '@mcp-toolkits/store/vault-keys'
import { onTestFinished } from 'vitest'
import { type IdentityProviderOptions, startIdentityProvider } from './identity-provider/index.ts'

export interface AuthorizationServersOptions extends IdentityProviderOptions {
  /** How many servers answer in turn. They share nothing but a database. */
  readonly replicas?: number
  readonly clock?: Clock
  readonly subjectClaim?: string
  /** Certificates that fetches of metadata documents trust. */
  readonly authorities?: string
}

const server = { name: 'files', title: 'Files' }
const scopes = [
  { name: 'files:read', meaning: 'look at what is there' },
  { name: 'files:write', meaning: 'create and change' },
]

/** A company whose identity provider has one static client, and replicas with an authorization server. */
export async function startAuthorizationServers({ replicas = 2, ...options }: AuthorizationServersOptions = {}) {
  const { clock = systemClock, subjectClaim = 'sub', authorities, ...people } = options
  const directory = await mkdtemp(path.join(tmpdir(), 'authorization-server-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const identityProvider = await startIdentityProvider(people)
  onTestFinished(() => identityProvider.stop())
  const { url, answers, errors } = await serveInTurn()
  const databaseFile = path.join(directory, 'team.db')
  const keys = readVaultKeys(`test:${randomBytes(32).toString('base64')}`)
  const log: Readonly<Record<string, unknown>>[] = []
  const logAt = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) => void log.push({ level, ...fields })
  let isStoreDown = false
  const open = async () => {
    const file = await openPeopleFile({ file: databaseFile, keys, clock })
    onTestFinished(() => file.close())
    const state = { ...file, records: interruptible(file.records, () => isStoreDown) }
    const { id: clientId, secret } = identityProvider.signInClient
    const opened = openAuthorizationServer({
      publicUrl: url,
      ...{ server, state, scopes, clock },
      identityProvider: { issuer: identityProvider.issuer, clientId, clientSecret: new Secret(secret), subjectClaim },
      ...(authorities !== undefined && { guard: { authorities } }),
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    })
    return { ...opened, state }
  }
  for (let count = 0; count < replicas; count += 1) answers.push(await open())
  const [first] = answers
  if (!first) throw new Error('There is a replica.')
  /** New processes with the same database, instead of all that there were. */
  const restart = async () => void answers.splice(0, answers.length, await open())
  const setStoreDown = (isDown: boolean) => {
    isStoreDown = isDown
  }
  return {
    url,
    restart,
    errors,
    setStoreDown,
    identityProvider,
    log,
    databaseFile,
    state: first.state,
    verifier: first.verifier,
    replicas: answers,
  }
}

type Replica = AuthorizationServer & { readonly state: Awaited<ReturnType<typeof openPeopleFile>> }

/** Records of a database that cannot be reached at times. */
function interruptible(records: ExpiringRecords, isDown: () => boolean): ExpiringRecords {
  const reached =
    <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      isDown() ? Promise.reject(new StoreError('unreachable', 'db.internal', 'The database db.internal cannot be reached.')) : run(...given)
  return {
    get: reached(records.get),
    set: reached(records.set),
    delete: reached(records.delete),
    take: reached(records.take),
    list: reached(records.list),
    hold: reached(records.hold),
    release: reached(records.release),
  }
}

/** A server whose requests the replicas answer in turn. */
async function serveInTurn() {
  const answers: Replica[] = []
  const errors: string[] = []
  let turn = 0
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url: target = '/' } = incoming
    const replica = answers[turn++ % answers.length]
    if (replica?.isClientPath(target.split('?')[0] ?? '')) return replica.answer(incoming, outgoing, (error) => errors.push(error))
    const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const body = method === 'GET' || method === 'HEAD' ? undefined : await buffer(incoming)
    const response = await replica?.pages(new Request(new URL(target, url), { method, headers, ...(body && { body }) }))
    if (!response) return void outgoing.writeHead(404).end()
    outgoing.writeHead(response.status, [...response.headers].flat()).end(Buffer.from(await response.arrayBuffer()))
  }
  const listener = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => outgoing.writeHead(500).end(String(error)))
  })
  const { promise, resolve } = Promise.withResolvers<undefined>()
  listener.listen(0, '127.0.0.1', () => {
    resolve(undefined)
  })
  await promise
  onTestFinished(() => {
    listener.close()
    listener.closeAllConnections()
  })
  const address = listener.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return { url, answers, errors }
}
