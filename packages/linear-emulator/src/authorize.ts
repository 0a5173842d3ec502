import { consentRoutes, type ConsentDecision, type Grants, type RedirectTarget } from '@mcp-toolkits/emulator/oauth'
import type { Hono } from 'hono'
import { consentPage, type Question } from './consent-page.ts'
import { mayReturnTo, parseScopes, type OAuthClient } from './oauth-clients.ts'

/** What the page of consent works on. */
export interface Authorizing {
  readonly clients: readonly OAuthClient[]
  readonly grants: Grants
  readonly now: () => number
}

interface Asked extends Question, RedirectTarget {
  readonly challenge: string | null
}

/** The page of consent, which a person answers in a browser on this machine: linear.md §3.6. */
export function authorizeRoutes({ clients, grants, now }: Authorizing): Hono {
  return consentRoutes<Asked>({
    path: '/oauth/authorize',
    now,
    consider(query) {
      const client = clients.find(({ id }) => id === query['client_id'])
      if (client === undefined) return { problem: 'client_id names no application.' }
      if (!mayReturnTo(client, query['redirect_uri'] ?? '')) return { problem: 'redirect_uri is none of the application’s.' }
      return consider(client, query)
    },
    page: consentPage,
    agree: ({ client, ...asked }) => ({ code: grants.consent({ ...asked, clientId: client.id, offline: true }) }),
  })
}

/** What is asked for, or what its application is told at once. */
function consider(client: OAuthClient, query: Readonly<Record<string, string>>): ConsentDecision<Asked> {
  const { response_type: responseType, code_challenge: challenge, code_challenge_method: method, actor = 'user' } = query
  const returning: RedirectTarget = { redirectUri: query['redirect_uri'] ?? '', state: query['state'] }
  const refused = (error: string, description: string) => ({ refused: { error, error_description: description, ...returning } })
  if (responseType !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  if (actor !== 'user') return refused('invalid_request', 'Only actor=user is offered here.')
  if (challenge === undefined && client.secret === undefined) return refused('invalid_request', 'A public client needs code_challenge.')
  if (challenge !== undefined && method !== 'S256') return refused('invalid_request', 'code_challenge_method must be S256.')
  const parsed = parseScopes(query['scope'] ?? '')
  if ('unknown' in parsed) return refused('invalid_scope', `Invalid scope: ${parsed.unknown}`)
  return { question: { client, scopes: parsed.scopes, challenge: challenge ?? null, ...returning } }
}
