import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { environmentTarget } from '@mcp-toolkits/auth/login'
import type { ConnectPurpose } from '@mcp-toolkits/auth/people/connect-links'
import type { ConnectSteps } from '@mcp-toolkits/auth/people/connect-steps'
import { type Connecting, openConnecting } from '@mcp-toolkits/auth/people/connecting'
import { grantStore } from '@mcp-toolkits/auth/people/grant-store'
import { Secret } from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { linearEmulator, type LinearClient } from '@mcp-toolkits/linear-emulator'
import { openPeopleFile, type PeopleFile } from '@mcp-toolkits/store/people-file'
import { readVaultKeys } from '@mcp-toolkits/store/vault-keys'
import { type IdentityProviderOptions, startIdentityProvider } from '@mcp-toolkits/testing/identity-provider'
import { openBrowser, type Page } from '@mcp-toolkits/testing/person-browser'
import { onTestFinished } from 'vitest'
import { account } from '../../src/account.ts'

/** Our registration at Linear. */
const linearClient: LinearClient = {
  id: 'toolkits',
  name: 'Issue Tracker of Lodestar',
  secret: 'linear-client-secret',
  redirectUris: ['http://127.0.0.1/connect/callback'],
}

interface CompanyOptions extends IdentityProviderOptions {
  /** How many servers answer in turn. They share nothing but a database. */
  readonly replicas?: number
  readonly clock?: Clock
  readonly steps?: ConnectSteps
  readonly subjectClaim?: string
}

interface Replica extends Connecting {
  readonly state: PeopleFile
}

/** What is logged. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
}

/** A company with an identity provider, an emulated Linear, and replicas at which its people connect accounts. */
export async function startCompany({ replicas = 1, clock = systemClock, steps, subjectClaim = 'sub', ...people }: CompanyOptions = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'connecting-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const identityProvider = await startIdentityProvider(people)
  onTestFinished(() => identityProvider.stop())
  const emulator = linearEmulator({ clients: [linearClient] })
  onTestFinished(() => emulator.close())
  const linear = await emulator.listen()
  const { url, answers } = await serveInTurn()
  const keys = readVaultKeys(`test:${randomBytes(32).toString('base64')}`)
  const log: LogLine[] = []
  const logAt = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) => void log.push({ level, ...fields })
  const open = async (): Promise<Replica> => {
    const state = await openPeopleFile({ file: path.join(directory, 'team.db'), keys, clock })
    onTestFinished(() => state.close())
    const environment = {
      ISSUE_TRACKER_CLIENT_ID: linearClient.id,
      ISSUE_TRACKER_CLIENT_SECRET: linearClient.secret,
      ISSUE_TRACKER_AUTH_URL: linear.url,
      ISSUE_TRACKER_API_URL: `${linear.url}/graphql`,
    }
    const target = environmentTarget(account, { embedded: false, dataDirectory: directory, environment })
    if (!target) throw new Error('The environment names a client.')
    const { id: clientId, secret } = identityProvider.signInClient
    const connecting = openConnecting({
      publicUrl: url,
      server: { name: 'issue-tracker', title: 'Issue Tracker' },
      state,
      identityProvider: { issuer: identityProvider.issuer, clientId, clientSecret: new Secret(secret), subjectClaim },
      account: { config: account, target },
      ...(steps && { steps }),
      clock,
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    })
    return { ...connecting, state }
  }
  for (let count = 0; count < replicas; count += 1) answers.push(await open())
  const [first] = answers
  if (!first) throw new Error('There is a replica.')
  const { state, links } = first
  const ownerOf = (subject: string) => state.people.ownerOf({ issuer: identityProvider.issuer, subject })
  const callerOf = (subject: string, profile = 'default') => {
    const { issuer } = identityProvider
    return { issuer, subject, owner: ownerOf(subject), clientId: 'editor', permissions: ['read', 'write'], profile } as const
  }
  return {
    identityProvider,
    emulator,
    linear,
    url,
    log,
    state,
    links,
    replicas: answers,
    ownerOf,
    callerOf,
    /** The link that a call of this person would answer with. */
    linkFor: (subject: string, { profile, purpose = 'account', scopes }: LinkOptions = {}) =>
      links.create({ caller: callerOf(subject, profile), purpose, ...(scopes && { scopes }) }),
    outcomeOf: (id: string) => links.waitFor(id, AbortSignal.timeout(0)),
    /** What this person has connected. */
    loginOf: (subject: string, profile = 'default') => grantStore(state, ownerOf(subject)).read({ server: 'issue-tracker', profile }),
  }
}

interface LinkOptions {
  readonly profile?: string
  readonly purpose?: ConnectPurpose
  readonly scopes?: readonly string[]
}

/** A server whose requests the replicas answer in turn. */
async function serveInTurn() {
  const answers: Replica[] = []
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const answer = async () => {
      const { method = 'GET', url = '/' } = incoming
      const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      )
      const body = method === 'GET' || method === 'HEAD' ? undefined : await buffer(incoming)
      const replica = answers[turn++ % answers.length]
      const response = await replica?.pages(new Request(new URL(url, origin), { method, headers, ...(body && { body }) }))
      if (!response) return void outgoing.writeHead(404).end()
      outgoing.writeHead(response.status, [...response.headers].flat()).end(Buffer.from(await response.arrayBuffer()))
    }
    void answer()
  })
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.listen(0, '127.0.0.1', () => {
    resolve(undefined)
  })
  await promise
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return { url: origin, answers }
}

/** A person at a new browser, who signs in as `subject` and answers the vendor's question. */
export function personAt({ url }: { readonly url: string }, subject: string, decision: 'allow' | 'deny' = 'allow') {
  const browser = openBrowser()
  const answer = (page: Page) => {
    if (page.url.includes('/interaction/')) return { person: subject }
    if (page.url.includes('/oauth/authorize')) return { decision }
    return page.url.startsWith(url) && page.status === 200 ? {} : undefined
  }
  return { ...browser, follow: (address: string) => browser.walk(address, answer), answer }
}

/** The heading of a page of ours, which no other page has. */
export const titleOf = ({ text }: Pick<Page, 'text'>) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
