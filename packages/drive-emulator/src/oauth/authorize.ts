import { consentRoutes, refusal, returned, type Grants } from '@mcp-toolkits/emulator/oauth'
import type { Hono } from 'hono'
import type { Pickers } from '../picker/pickers.ts'
import type { GoogleClient } from './clients.ts'
import { consentPage } from './consent-page.ts'
import { consider, type Question } from './request.ts'
import { isOptional } from './scopes.ts'

/** What asking a person for access works on. */
export interface Authorizing {
  readonly clients: readonly GoogleClient[]
  readonly grants: Grants
  readonly pickers: Pickers
  readonly now: () => number
}

/** The page of consent, and what follows it: https://developers.google.com/identity/protocols/oauth2/native-app. */
export function authorizeRoutes({ clients, grants, pickers, now }: Authorizing): Hono {
  return consentRoutes<Question>({
    path: '/o/oauth2/v2/auth',
    now,
    consider: (query) => consider(query, { clients, grants: grants.list() }),
    page: consentPage,
    agree(question, form) {
      const scopes = agreedTo(question, form.getAll('scope'))
      if (scopes.length === 0) return refusal
      const bring = (more: Readonly<Record<string, string>>) => ({ ...answerTo(grants, question, scopes), ...more })
      const { picking, client, redirectUri } = question
      if (picking === undefined) return bring({})
      const { path } = pickers.open({
        ...picking,
        app: client.name,
        returning: new URL(redirectUri).origin,
        onward: (ids) => returned(question, ids === undefined ? refusal : bring({ picked_file_ids: ids.join(',') })),
      })
      return path
    },
  })
}

/** The scopes that the person left in. */
function agreedTo({ scopes }: Question, ticked: readonly string[]): readonly string[] {
  return scopes.length === 1 ? scopes : scopes.filter((scope) => !isOptional(scope) || ticked.includes(scope))
}

function answerTo(grants: Grants, { client, before, ...question }: Question, scopes: readonly string[]) {
  const all = [...new Set([...scopes, ...before])]
  return { code: grants.consent({ ...question, scopes: all, clientId: client.id }), scope: all.join(' '), authuser: '0' }
}
