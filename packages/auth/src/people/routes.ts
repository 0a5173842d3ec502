import { accountPaths, beginSession, endConnection, showAccounts, signInToAccounts, signOut } from './accounts.ts'
import { beginLink, proceed, showLink } from './connect-flow.ts'
import { unknownLinkPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, consentPath, keyPath, type Reply, signedInPath } from './connect-parts.ts'
import { finishConsent } from './consent.ts'
import { enterKey, showKeyForm } from './key-entry.ts'
import { answerPage, type Route } from './page-requests.ts'
import { finishSignIn } from './sign-in.ts'

/** Answers requests to pages. */
export function servePages(parts: ConnectParts): (request: Request) => Promise<Response | undefined> {
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
    [consentPath, { get: (request, query) => finishConsent(parts, request, query), isReturn: true }],
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
