import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ConnectPurpose } from '@mcp-toolkits/auth/people/connect-links'
import type { ConnectSteps, VendorAccount } from '@mcp-toolkits/auth/people/connect-steps'
import { type Connecting, openConnecting } from '@mcp-toolkits/auth/people/connecting'
import type { ConnectionEvent } from '@mcp-toolkits/auth/people/connection-events'
import { grantStore } from '@mcp-toolkits/auth/people/grant-store'
import type { Login } from '@mcp-toolkits/auth/stored-login'
import { type Fetch, Secret } from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { openPeopleFile, type PeopleFile } from '@mcp-toolkits/store/people-file'
import { readVaultKeys } from '@mcp-toolkits/store/vault-keys'
import { type IdentityProviderOptions, startIdentityProvider } from './identity-provider/index.ts'
import { openBrowser, type Page } from './person-browser.ts'
import { onTestFinished } from 'vitest'

export interface ConnectingOptions extends IdentityProviderOptions {
  readonly server: { readonly name: string; readonly title: string }
  /** The vendor's accounts; absent where people enter keys. */
  readonly account?: VendorAccount
  /** For requests to the identity provider and the vendor. */
  readonly fetch?: Fetch
  /** How many servers answer in turn. They share nothing but a database. */
  readonly replicas?: number
  readonly clock?: Clock
  readonly steps?: ConnectSteps
  /** Stands between the replicas and what they store. */
  readonly throughState?: (state: PeopleFile) => PeopleFile
  /** What happens before a person is remembered. */
  readonly beforeRemember?: () => Promise<void>
  /** Sees to what waits for keys that people end or replace. */
  readonly onGrantChange?: Parameters<typeof openConnecting>[0]['onGrantChange']
  readonly subjectClaim?: string
  /** The address behind which the server stands; its own when absent. */
  readonly publicUrl?: string
  /** Who asks for links. */
  readonly clientId?: string
}

interface Replica extends Connecting {
  readonly state: PeopleFile
}

/** What is logged. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string
}

/** A company with an identity provider, and replicas at which its people connect accounts. */
export async function startConnecting(options: ConnectingOptions) {
  const { server, account, fetch, steps, beforeRemember, onGrantChange, clientId: asking = 'editor', publicUrl, ...rest } = options
  const { replicas = 1, clock = systemClock, subjectClaim = 'sub', throughState, ...people } = rest
  const directory = await mkdtemp(path.join(tmpdir(), 'connecting-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const identityProvider = await startIdentityProvider(people)
  onTestFinished(() => identityProvider.stop())
  const { url, answers } = await serveInTurn()
  const keys = readVaultKeys(`test:${randomBytes(32).toString('base64')}`)
  const log: LogLine[] = []
  const events: ConnectionEvent[] = []
  const logAt = (level: string) => (_: string, fields?: Readonly<Record<string, unknown>>) => void log.push({ level, ...fields })
  const databaseFile = path.join(directory, 'team.db')
  const open = async (): Promise<Replica> => {
    const opened = await openPeopleFile({ file: databaseFile, keys, clock })
    const state = throughState?.(opened) ?? opened
    onTestFinished(() => state.close())
    const remember: typeof state.people.remember = async (person) => {
      await beforeRemember?.()
      await state.people.remember(person)
    }
    const { id: clientId, secret } = identityProvider.signInClient
    const connecting = openConnecting({
      publicUrl: publicUrl ?? url,
      server,
      state: { ...state, people: { ...state.people, remember } },
      identityProvider: { issuer: identityProvider.issuer, clientId, clientSecret: new Secret(secret), subjectClaim },
      ...(account && { account }),
      ...(fetch && { fetch }),
      ...(steps && { steps }),
      ...(onGrantChange && { onGrantChange }),
      clock,
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
      onConnection: (event) => void events.push(event),
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
    return { issuer, subject, owner: ownerOf(subject), clientId: asking, permissions: ['read', 'write'], profile } as const
  }
  return {
    identityProvider,
    url,
    log,
    /** What the audit of the replicas gets. */
    events,
    state,
    links,
    replicas: answers,
    databaseFile,
    /** How many attempts are under way. */
    attempts: async () => (await state.records.list({ owner: 'connecting', kind: 'connect attempt' })).length,
    ownerOf,
    callerOf,
    /** The link that a call of this person would answer with. */
    linkFor: (subject: string, { profile, purpose = 'account', scopes, clientId = asking }: LinkOptions = {}) =>
      links.create({ caller: { ...callerOf(subject, profile), clientId }, purpose, ...(scopes && { scopes }) }),
    outcomeOf: (id: string) => links.waitFor(id, AbortSignal.timeout(0)),
    storeLogin: (subject: string, login: Login, profile = 'default') =>
      grantStore(state, ownerOf(subject)).write({ server: server.name, profile }, login),
    /** What this person has connected. */
    loginOf: (subject: string, profile = 'default') => grantStore(state, ownerOf(subject)).read({ server: server.name, profile }),
  }
}

interface LinkOptions {
  readonly profile?: string
  readonly purpose?: ConnectPurpose
  readonly scopes?: readonly string[]
  /** Which client asks; the company's when absent. */
  readonly clientId?: string
}

/** A server whose requests the replicas answer in turn. */
async function serveInTurn() {
  const answers: Replica[] = []
  let turn = 0
  const listener = createServer((incoming, outgoing) => {
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
  listener.listen(0, '127.0.0.1', () => {
    resolve(undefined)
  })
  await promise
  onTestFinished(() => {
    listener.close()
    listener.closeAllConnections()
  })
  const address = listener.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return { url: origin, answers }
}

/** Where a browser returns to from the identity provider, and from the vendor. */
export const atSignedIn = (url: string) => url.includes('/connect/signed-in')
export const atCallback = (url: string) => url.includes('/connect/callback')

interface PersonOptions {
  /** What they answer the vendor. */
  readonly decision?: 'allow' | 'deny'
  /** The address of their account at the vendor; the one that its page selects when absent. */
  readonly account?: string
  /** Where they stop, until they continue. */
  readonly stopsAt?: ((url: string) => boolean) | undefined
}

/** A person at a new browser, who signs in as `subject` and answers the vendor's question. */
export function personAt(
  { url }: { readonly url: string },
  subject: string,
  { decision = 'allow', account, stopsAt = () => false }: PersonOptions = {},
) {
  let stops = true
  const browser = openBrowser({ stopsAt: (address) => stops && stopsAt(address) })
  const answer = (page: Page) => {
    if (stops && stopsAt(page.url)) return undefined
    if (page.url.includes('/interaction/')) return { person: subject }
    if (/\/(?:authorize|auth)\?/.test(page.url) && page.text.includes('name="decision"'))
      return { decision, ...(account !== undefined && { person: account }) }
    return page.url.startsWith(url) && page.status === 200 && page.text.includes('class="main"') ? {} : undefined
  }
  return {
    ...browser,
    answer,
    /** Goes on from an address until there is nothing left to answer. */
    follow: (address: string) => browser.walk(address, answer),
    /** The same, and does not stop any longer. */
    continueTo: (address: string) => {
      stops = false
      return browser.walk(address, answer)
    },
  }
}

/** The heading of a page of ours, which no other page has. */
export const titleOf = ({ text }: Pick<Page, 'text'>) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
