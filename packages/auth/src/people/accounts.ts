import { joinWords } from '@mcp-toolkits/core/text'
import { removalHint } from '../login.ts'
import { withNote } from '../page.ts'
import { accountsPage, endedPage, noSuchAccountPage, signInPage } from './account-pages.ts'
import { foreignFormPage } from './connect-pages.ts'
import { isSameToken } from './connect-records.ts'
import { disconnectEvent } from './connection-events.ts'
import { accountsPath, type ConnectParts, type Reply } from './connect-parts.ts'
import type { SignedInPerson } from './identity-provider.ts'
import { type EndedGrant, endGrant } from './end-grant.ts'
import { decodeGrant } from './grant.ts'
import type { Session } from './sessions.ts'
import { beginSignIn } from './sign-in.ts'

export const accountPaths = {
  signIn: `${accountsPath}/sign-in`,
  signOut: `${accountsPath}/sign-out`,
  end: `${accountsPath}/end`,
} as const

/** What the signed-in person has connected, or the way to sign in. Looking at it changes nothing. */
export async function showAccounts(parts: ConnectParts, request: Request): Promise<Reply> {
  const { sessions, server, state, formTargets } = parts
  const session = await sessions.find(request)
  if (!session) return { page: signInPage(server.title, accountPaths.signIn), formTargets }
  const grants = await state.people.grants.list(session.owner)
  const accounts = grants.map((stored) => ({ ...stored, grant: decodeGrant(stored.grant) }))
  const { name, formToken } = session
  const actions = { end: accountPaths.end, signOut: accountPaths.signOut }
  return { page: accountsPage({ title: server.title, vendor: vendorOf(parts), name, accounts, formToken, actions }) }
}

/** Sends a browser to the identity provider, from which it comes back to its accounts. */
export async function signInToAccounts(parts: ConnectParts): Promise<Reply> {
  return beginSignIn(parts, undefined)
}

/** Signs a browser in, once the identity provider has said who it is. */
export async function beginSession({ sessions, state }: ConnectParts, person: SignedInPerson): Promise<Reply> {
  const cookie = await sessions.begin(state.people.ownerOf(person), person)
  return { location: accountsPath, cookies: [cookie] }
}

export async function signOut(parts: ConnectParts, request: Request, form: URLSearchParams): Promise<Reply> {
  const session = await signedInForm(parts, request, form)
  if (!session) return { page: foreignFormPage }
  return { location: accountsPath, cookies: [await parts.sessions.end(request)] }
}

/** Has the vendor revoke what was given to this server, and deletes it in any case. */
export async function endConnection(parts: ConnectParts, request: Request, form: URLSearchParams): Promise<Reply> {
  const session = await signedInForm(parts, request, form)
  if (!session) return { page: foreignFormPage }
  const account = { owner: session.owner, profile: form.get('profile') ?? '' }
  const { state, account: vendor, fetch, clock } = parts
  const ended = await endGrant({ state, provider: vendor?.config.provider, fetch, clock }, account)
  const page = ended
    ? withNote(
        endedPage({ vendor: vendorOf(parts), profile: account.profile, note: noteOf(vendorOf(parts), ended) }),
        await parts.onGrantChange(account),
      )
    : noSuchAccountPage
  parts.log.info('connect', { outcome: ended ? 'ended' : 'unknown', person: session.owner, profile: account.profile })
  if (ended) parts.onConnection(disconnectEvent(session.person, account.profile, ended))
  return { page }
}

/** What the person should know about the vendor's side. */
function noteOf(vendor: string, { grant, problem, sharedWith }: EndedGrant): string {
  if (sharedWith.length > 0) {
    return `The access is not revoked at ${vendor}, because that would end your connection ${joinWords(sharedWith)} to the same account too. It is revoked when you end that one as well.`
  }
  if (grant?.kind === 'key') return 'The key itself still works. Delete it at the vendor if nothing else uses it.'
  if (!grant) return `It could not be read, so ${vendor} was not asked to revoke it and may still accept it. ${removalHint}`
  if (!grant.login.tokens) return 'There was nothing to revoke at the vendor.'
  return problem ? `${vendor} still accepts the login: ${problem.message} ${removalHint}` : `${vendor} has revoked the access.`
}

/** Who sent a form of their own pages; undefined for one that comes from elsewhere. */
async function signedInForm({ sessions }: ConnectParts, request: Request, form: URLSearchParams): Promise<Session | undefined> {
  const session = await sessions.find(request)
  return session && isSameToken(form.get('form') ?? '', session.formToken) ? session : undefined
}

function vendorOf({ account, steps, server }: ConnectParts): string {
  return account?.config.provider.name ?? steps.key?.vendor ?? server.title
}
