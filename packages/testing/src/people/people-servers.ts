import type { ConnectPurpose } from '@mcp-toolkits/server/mcp'
import { type ConnectSteps, type VendorAccount, openConnectFlow, type ConnectionEvent } from '@mcp-toolkits/team/connect'
import { grantStore } from '@mcp-toolkits/team/accounts'
import type { Login } from '@mcp-toolkits/server/account'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { openPeopleFile, type PeopleFile } from '@mcp-toolkits/team/vault'
import { onTestFinished } from 'vitest'
import type { IdentityProviderOptions } from './identity-provider/identity-provider.ts'
import { openBrowser, type Page } from './person-browser.ts'
import { startReplicatedServer } from './replicated-server.ts'

export interface PeopleServersOptions extends IdentityProviderOptions {
  readonly server: { readonly name: string; readonly title: string }
  /** The vendor's accounts; absent if people enter keys. */
  readonly account?: VendorAccount
  /** Sends requests to the identity provider and the vendor. */
  readonly fetch?: Fetch
  /** Number of servers that answer in turn. They share only a database. */
  readonly replicas?: number
  readonly clock?: Clock
  readonly steps?: ConnectSteps
  /** Wraps the replicas' storage. */
  readonly throughState?: (state: PeopleFile) => PeopleFile
  /** Runs before a person is remembered. */
  readonly beforeRemember?: () => Promise<void>
  /** Handles work that waits for keys when people remove or replace them. */
  readonly onGrantChange?: Parameters<typeof openConnectFlow>[0]['onGrantChange']
  readonly subjectClaim?: string
  /** The server's public address; by default, the address at which it listens. */
  readonly publicUrl?: string
  /** The client that asks for links. */
  readonly clientId?: string
}

/** Starts a company with an identity provider, and replicas at which its people connect accounts. */
export async function startPeopleServers(options: PeopleServersOptions) {
  const { server, account, fetch, steps, beforeRemember, onGrantChange, clientId: asking = 'editor', publicUrl, ...rest } = options
  const { replicas = 1, clock = systemClock, subjectClaim = 'sub', throughState, ...people } = rest
  const events: ConnectionEvent[] = []
  const { first, ...servers } = await startReplicatedServer({
    replicas,
    people,
    async open({ url, databaseFile, keys, identityProvider, log }) {
      const opened = await openPeopleFile({ file: databaseFile, keys, clock })
      const state = throughState?.(opened) ?? opened
      onTestFinished(() => state.close())
      const remember: typeof state.people.remember = async (person) => {
        await beforeRemember?.()
        await state.people.remember(person)
      }
      const connecting = openConnectFlow({
        publicUrl: publicUrl ?? url,
        server,
        clock,
        log,
        state: { ...state, people: { ...state.people, remember } },
        identityProvider: { ...identityProvider, subjectClaim },
        ...(account && { account }),
        ...(fetch && { fetch }),
        ...(steps && { steps }),
        ...(onGrantChange && { onGrantChange }),
        onConnection: (event) => void events.push(event),
      })
      return { ...connecting, state }
    },
  })
  const { state, links } = first
  const { issuer } = servers.identityProvider
  const ownerOf = (subject: string) => state.people.ownerOf({ issuer, subject })
  const callerOf = (subject: string, profile = 'default') =>
    ({ issuer, subject, owner: ownerOf(subject), clientId: asking, permissions: ['read', 'write'], profile }) as const
  return {
    ...servers,
    /** The replicas' audit records. */
    events,
    state,
    links,
    attempts: async () => (await state.records.list({ owner: 'connecting', kind: 'connect attempt' })).length,
    ownerOf,
    callerOf,
    /** The link that a call by this person would return. */
    linkFor: (subject: string, { profile, purpose = 'account', scopes, clientId = asking }: LinkOptions = {}) =>
      links.create({ caller: { ...callerOf(subject, profile), clientId }, purpose, ...(scopes && { scopes }) }),
    outcomeOf: (id: string) => links.waitFor(id, AbortSignal.timeout(0)),
    storeLogin: (subject: string, login: Login, profile = 'default') =>
      grantStore(state, ownerOf(subject)).write({ server: server.name, profile }, login),
    /** The login that this person has connected. */
    loginOf: (subject: string, profile = 'default') => grantStore(state, ownerOf(subject)).read({ server: server.name, profile }),
  }
}

interface LinkOptions {
  readonly profile?: string
  readonly purpose?: ConnectPurpose
  readonly scopes?: readonly string[]
  /** The client that asks; the company's by default. */
  readonly clientId?: string
}

/** Addresses that a browser returns to, from the identity provider and from the vendor. */
export const atSignedIn = (url: string) => url.includes('/connect/signed-in')
export const atCallback = (url: string) => url.includes('/connect/callback')

interface PersonOptions {
  /** The person's answer to the vendor. */
  readonly decision?: 'allow' | 'deny'
  /** The email address of their vendor account; by default, the one that the vendor's page preselects. */
  readonly account?: string
  /** Addresses at which the person pauses. */
  readonly stopsAt?: ((url: string) => boolean) | undefined
}

/** A person with a new browser, who signs in as `subject` and answers the vendor's question. */
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
    /** Continues from an address until no page needs an answer. */
    follow: (address: string) => browser.walk(address, answer),
    /** Like `follow`, but from now on without pausing anywhere. */
    continueTo: (address: string) => {
      stops = false
      return browser.walk(address, answer)
    },
  }
}

/** The heading of one of our pages; other pages have none. */
export const titleOf = ({ text }: Pick<Page, 'text'>) => /<h1>(.*?)<\/h1>/.exec(text)?.[1]
