import type Provider from 'oidc-provider'
import { type Reply, signedInPath } from '../people/connect-parts.ts'
import { answerPage, type Route } from '../people/page-requests.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { answerConsent, finishSignIn, showConsent } from './consent.ts'
import { unavailablePage } from './consent-page.ts'
import { consentPath } from './metadata.ts'
import { isOwnState } from './sign-in-records.ts'
import { isTemporarilyUnavailable } from './storage-errors.ts'

/** Answers requests to the pages where people agree, and the return from the identity provider. */
export function servePages(
  parts: AuthorizationParts,
  currentProvider: () => Promise<Provider>,
): (request: Request) => Promise<Response | undefined> {
  const { urls, log, maySend } = parts
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    // Connect attempts come back to the same address.
    const isReturn = pathname === signedInPath && searchParams.getAll('state').some(isOwnState)
    if (!isReturn && !pathname.startsWith(`${consentPath}/`)) return undefined
    const route = isReturn ? returnRoute(parts, currentProvider) : consentRoute(parts, currentProvider, pathname)
    return answerPage({ urls, log, maySend, topic: 'authorization' }, route, request)
  }
}

function returnRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>): Route {
  const get: Route['get'] = async (request, query) =>
    finishSignIn({ parts, provider: await currentProvider(), request }, query).catch(explainUnavailable)
  return { get, isReturn: true }
}

function consentRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>, pathname: string): Route | undefined {
  const id = /^\/([\w-]+)$/.exec(pathname.slice(consentPath.length))?.[1]
  if (id === undefined) return undefined
  const asked = async (request: Request) => ({ parts, provider: await currentProvider(), request, id })
  return {
    get: (request) => asked(request).then(showConsent).catch(explainUnavailable),
    post: (request, form) =>
      asked(request)
        .then((consent) => answerConsent(consent, form))
        .catch(explainUnavailable),
  }
}

/** What is down for clients is down for their people. */
function explainUnavailable(error: unknown): Reply {
  if (isTemporarilyUnavailable(error)) return { page: unavailablePage }
  throw error
}
