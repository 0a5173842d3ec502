import type { OAuthClient as Client } from '@mcp-toolkits/emulator/oauth'

/** An application that asks people for access: linear.md §3.6. One without a secret is public, and needs PKCE. */
export interface OAuthClient extends Client {
  /** Exact addresses; one on loopback without a port stands for all ports. */
  readonly redirectUris: readonly string[]
  /** Answers with `scope` as an array, as for applications made before 1 December 2023. */
  readonly scopesAsArray?: boolean
}

/** A public client that a program on this machine may use. */
export const localClient: OAuthClient = {
  id: 'lodestar-desktop',
  name: 'Lodestar Desktop',
  redirectUris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
}

const onLoopback = /^(http:\/\/(?:127\.0\.0\.1|localhost)):\d{1,5}(?=\/|$)/

/** Whether a client may be sent back to an address. */
export const mayReturnTo = ({ redirectUris }: OAuthClient, address: string): boolean =>
  URL.canParse(address) && (redirectUris.includes(address) || redirectUris.includes(address.replace(onLoopback, '$1')))

/** What an application may ask for, in words for the page of consent. */
const scopeWords: ReadonlyMap<string, string> = new Map([
  ['read', 'Read everything that you can read'],
  ['write', 'Change what you can change'],
  ['issues:create', 'Create issues and attachments'],
  ['comments:create', 'Write comments'],
  ['timeSchedule:write', 'Change time schedules'],
  ['admin', 'Administer the workspace'],
  ['app:assignable', 'Be assigned to issues'],
  ['app:mentionable', 'Be mentioned'],
  ['customer:read', 'Read customers'],
  ['customer:write', 'Change customers'],
  ['initiative:read', 'Read initiatives'],
  ['initiative:write', 'Change initiatives'],
])

/** A scope as the page of consent shows it. */
export const wordsFor = (scope: string): string => scopeWords.get(scope) ?? scope

/** The scopes of a list with commas, `read` always among them; or the first one that does not exist. */
export function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const wanted = list.split(',').filter((scope) => scope !== '')
  const unknown = wanted.find((scope) => !scopeWords.has(scope))
  return unknown === undefined ? { scopes: [...new Set(['read', ...wanted])] } : { unknown }
}
