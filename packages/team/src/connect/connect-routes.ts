import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { accountPaths, beginSession, endConnection, showAccounts, signInToAccounts, signOut } from './accounts-page.ts'
import { attempts, cookies, sessions } from './browser-state.ts'
import { unknownLinkPage } from './connect-pages.ts'
import {
  accountsPath,
  type ConnectParts,
  callbackPath,
  formTargets,
  keyPath,
  type PageParts,
  pickerMs,
  publicUrls,
  type Reply,
  signedInPath,
  stepMs,
} from './connect-context.ts'
import { decodeLinkKey, encodeLinkKey, linkRecords } from './connect-records.ts'
import type { ConnectLinks } from '@mcp-toolkits/server/mcp'
import type { ConnectSteps, VendorAccount } from './connect-steps.ts'
import type { RecordConnection } from './connection-events.ts'
import { identityProvider, type IdentityProviderConfig } from './identity-provider.ts'
import { enterKey, showKeyForm } from './key-entry.ts'
import { beginLink, proceed, showLink } from './link-flow.ts'
import { answerPage, type Route } from './page-requests.ts'
import { formLimits } from '../tokens/request-limits.ts'
import { finishSignIn } from './sign-in.ts'
import { finishConsent } from './vendor-callback.ts'

export interface ConnectFlowOptions extends Pick<PageParts, 'server' | 'state' | 'log'> {
  /** This server's address for people: `https://files.example.com`. */
  readonly publicUrl: string
  readonly identityProvider: IdentityProviderConfig
  /** The vendor's accounts; absent if people enter keys. */
  readonly account?: VendorAccount
  readonly steps?: ConnectSteps
  /** Called when a person has entered or removed a key. Resolves with a sentence for the person, if any. Never rejects. */
  readonly onGrantChange?: ConnectParts['onGrantChange']
  readonly fetch?: Fetch
  readonly clock?: Clock
  /** Records people's changes to their accounts. */
  readonly onConnection?: RecordConnection | undefined
}

export interface ConnectFlow {
  readonly links: ConnectLinks
  /** The pages at /connect and /accounts; undefined for a request to anything else. Never rejects. */
  readonly pages: (request: Request) => Promise<Response | undefined>
}

/** Interval, in milliseconds, at which a waiting call checks whether its person has finished. */
const pollMs = 500

/** Lets people connect their accounts in a browser. The state is stored, so any replica can answer any request. */
export function openConnectFlow(options: ConnectFlowOptions): ConnectFlow {
  const { publicUrl, server, state, account, steps = {}, fetch = globalThis.fetch, clock = systemClock, log } = options
  const urls = publicUrls(publicUrl)
  const serverCookies = cookies(server.name, new URL(publicUrl))
  const { issuer, subjectClaim } = options.identityProvider
  const parts: ConnectParts = {
    server,
    urls,
    state,
    account,
    steps,
    fetch,
    clock,
    log,
    subjectClaim,
    links: linkRecords(state.records),
    attempts: attempts(state.records, serverCookies),
    sessions: sessions(state.records, serverCookies),
    onConnection: options.onConnection ?? (() => undefined),
    maySend: formLimits(clock),
    identityProvider: identityProvider(options.identityProvider, { fetch, clock }),
    onGrantChange: options.onGrantChange ?? (() => Promise.resolve(undefined)),
    formTargets: formTargets([issuer, ...(account ? [account.target.authorizationUrl] : [])]),
  }
  return { links: connectLinks(parts), pages: serveConnectPages(parts) }
}

function connectLinks({ links, urls, clock }: ConnectParts): ConnectLinks {
  return {
    async create({ caller, purpose, scopes }) {
      const ms = purpose === 'picker' ? pickerMs : stepMs
      const { issuer, subject, owner, profile, clientId } = caller
      const asked = { issuer, subject, profile, purpose, clientId, ...(scopes && { scopes }) }
      // A step begun in time may take as long again to finish.
      const lifetimes = { openMs: ms, storedMs: 2 * ms + stepMs }
      const { token, key, expiresAt } =
        (await links.findUnused(owner, asked)) ?? (await links.create(owner, { ...asked, expiresAt: clock.now() + ms }, lifetimes))
      return { id: encodeLinkKey(key), url: urls.url(`/connect/${token}`), expiresAt }
    },
    async waitFor(id, signal) {
      const key = decodeLinkKey(id)
      if (!key) return 'expired'
      while (!signal.aborted) {
        const outcome = await links.outcome(key)
        if (outcome) return outcome
        const link = await links.get(key)
        if (!link || link.expiresAt <= clock.now()) return 'expired'
        await clock.sleep(pollMs, signal).catch(() => undefined)
      }
      return undefined
    },
  }
}

function serveConnectPages(parts: ConnectParts): (request: Request) => Promise<Response | undefined> {
  const routes = fixedRoutes(parts)
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (!/^\/(?:connect|accounts)(?:\/|$)/.test(pathname)) return undefined
    const { urls, log, maySend } = parts
    return answerPage({ urls, log, maySend, topic: 'connect' }, routes.get(pathname) ?? linkRoute(parts, pathname), request)
  }
}

function fixedRoutes(parts: ConnectParts): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    [signedInPath, { get: (request, query) => signedIn(parts, request, query), isReturn: true }],
    [callbackPath, { get: (request, query) => finishConsent(parts, request, query), isReturn: true }],
    [keyPath, { get: (request, query) => showKeyForm(parts, request, query), post: (request, form) => enterKey(parts, request, form) }],
    [accountsPath, { get: (request) => showAccounts(parts, request) }],
    [accountPaths.signIn, { post: () => signInToAccounts(parts) }],
    [accountPaths.signOut, { post: (request, form) => signOut(parts, request, form) }],
    [accountPaths.end, { post: (request, form) => endConnection(parts, request, form) }],
  ])
}

function linkRoute(parts: ConnectParts, pathname: string): Route | undefined {
  const token = /^\/connect\/([^/]+)$/.exec(pathname)?.[1]
  return token === undefined ? undefined : { get: () => showLink(parts, token), post: () => beginLink(parts, token) }
}

/** The return from the identity provider: to a link, or to the person's accounts. */
async function signedIn(parts: ConnectParts, request: Request, query: URLSearchParams): Promise<Reply> {
  const result = await finishSignIn(parts, request, query)
  if (!('person' in result)) return result
  const { attempt, person, cookie } = result
  const link = attempt.link && (await parts.links.get(attempt.link))
  if (attempt.link && !link) return { page: unknownLinkPage, cookies: [cookie] }
  const reply = await (link ? proceed(parts, link, person) : beginSession(parts, person))
  return { ...reply, cookies: [cookie, ...(reply.cookies ?? [])] }
}
