import type Provider from 'oidc-provider'
import { signedInPath } from '../people/connect-parts.ts'
import { answerPage, type Route } from '../people/page-requests.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { answerConsent, finishSignIn, showConsent } from './consent.ts'
import { consentPath } from './metadata.ts'
import { isOwnState } from './sign-in-records.ts'

/** Answers requests to the pages where people agree, and the return from the identity provider. */
export function servePages(
  parts: AuthorizationParts,
  currentProvider: () => Promise<Provider>,
): (request: Request) => Promise<Response | undefined> {
  const { urls, log } = parts
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    // Connect attempts come back to the same address.
    const isReturn = pathname === signedInPath && searchParams.getAll('state').some(isOwnState)
    if (!isReturn && !pathname.startsWith(`${consentPath}/`)) return undefined
    const route = isReturn ? returnRoute(parts, currentProvider) : consentRoute(parts, currentProvider, pathname)
    return answerPage({ urls, log, topic: 'authorization' }, route, request)
  }
}

function returnRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>): Route {
  return { get: async (request, query) => finishSignIn({ parts, provider: await currentProvider(), request }, query), isReturn: true }
}

function consentRoute(parts: AuthorizationParts, currentProvider: () => Promise<Provider>, pathname: string): Route | undefined {
  const id = /^\/([\w-]+)$/.exec(pathname.slice(consentPath.length))?.[1]
  if (id === undefined) return undefined
  const asked = async (request: Request) => ({ parts, provider: await currentProvider(), request, id })
  return {
    get: async (request) => showConsent(await asked(request)),
    post: async (request, form) => answerConsent(await asked(request), form),
  }
}
