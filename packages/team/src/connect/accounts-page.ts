import { joinWords } from '@mcp-toolkits/core/errors'
import { accountText, removalHint, type Fact, type Page, type PageSection, withNote } from '@mcp-toolkits/server/account'
import { foreignFormPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, type Reply } from './connect-context.ts'
import { isSameToken } from './connect-records.ts'
import { disconnectEvent } from './connection-events.ts'
import { decodeGrant, type EndedGrant, endGrant, type Grant } from '../accounts/grants.ts'
import type { StoredGrant } from '@mcp-toolkits/core/base'
import type { SignedInPerson } from './identity-provider.ts'
import type { Session } from './browser-state.ts'
import { beginSignIn } from './sign-in.ts'

export const accountPaths = {
  signIn: `${accountsPath}/sign-in`,
  signOut: `${accountsPath}/sign-out`,
  end: `${accountsPath}/end`,
} as const

/** Page of the signed-in person's accounts, or the sign-in page. Viewing it changes nothing. */
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

/** Sends a browser to the identity provider, which returns it to the accounts page. */
export async function signInToAccounts(parts: ConnectParts): Promise<Reply> {
  return beginSignIn(parts, undefined)
}

/** Signs a browser in, once the identity provider has said who the person is. */
export async function beginSession({ sessions, state }: ConnectParts, person: SignedInPerson): Promise<Reply> {
  const cookie = await sessions.begin(state.people.ownerOf(person), person)
  return { location: accountsPath, cookies: [cookie] }
}

export async function signOut(parts: ConnectParts, request: Request, form: URLSearchParams): Promise<Reply> {
  const session = await signedInForm(parts, request, form)
  if (!session) return { page: foreignFormPage }
  return { location: accountsPath, cookies: [await parts.sessions.end(request)] }
}

/** Has the vendor revoke this server's grant, and deletes it in any case. */
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

/** Note for the person about the grant's state at the vendor. */
function noteOf(vendor: string, { grant, problem, sharedWith }: EndedGrant): string {
  if (sharedWith.length > 0) {
    return `The access was not revoked at ${vendor}, because that would also end your connection ${joinWords(sharedWith)} to the same account. It will be revoked when you end that one too.`
  }
  if (grant?.kind === 'key') return 'The key itself still works. Delete it at the vendor if nothing else uses it.'
  if (!grant) return `The stored access could not be read, so ${vendor} was not asked to revoke it and may still accept it. ${removalHint}`
  if (!grant.login.tokens) return 'There was nothing to revoke at the vendor.'
  return problem ? `${vendor} still accepts the login: ${problem.message} ${removalHint}` : `${vendor} has revoked the access.`
}

/** The session that a form was sent from; undefined if the form was not on one of its pages. */
async function signedInForm({ sessions }: ConnectParts, request: Request, form: URLSearchParams): Promise<Session | undefined> {
  const session = await sessions.find(request)
  return session && isSameToken(form.get('form') ?? '', session.formToken) ? session : undefined
}

function vendorOf({ account, steps, server }: ConnectParts): string {
  return account?.config.provider.name ?? steps.key?.vendor ?? server.title
}

export interface ConnectedAccount extends Omit<StoredGrant, 'grant'> {
  /** Undefined if the grant cannot be read. */
  readonly grant: Grant | undefined
}

export interface AccountsPage {
  /** `File Storage`. */
  readonly title: string
  readonly vendor: string
  readonly name: string | undefined
  readonly accounts: readonly ConnectedAccount[]
  readonly formToken: string
  readonly actions: { readonly end: string; readonly signOut: string }
}

/** Page for a browser that is not signed in. */
export function signInPage(title: string, action: string): Page {
  return {
    status: 200,
    title: `Your accounts in ${title}`,
    paragraphs: ['Sign in with your company account to see which accounts you have connected, and to end connections.'],
    forms: [{ action, button: 'Sign in', isMain: true }],
  }
}

function accountsPage({ title, vendor, name, accounts, formToken, actions }: AccountsPage): Page {
  const who = name === undefined ? 'You are signed in.' : `You are signed in as ${name}.`
  const none = `You have not connected an account at ${vendor}. The first call that needs one gives you a link.`
  const hidden = { form: formToken }
  return {
    status: 200,
    title: `Your accounts in ${title}`,
    paragraphs: [who, ...(accounts.length === 0 ? [none] : [])],
    sections: [
      ...accounts.map((account) => accountSection(vendor, account, { action: actions.end, formToken })),
      { heading: 'This browser', facts: [], forms: [{ action: actions.signOut, button: 'Sign out', hidden }] },
    ],
  }
}

function accountSection(
  vendor: string,
  { profile, connectedAt, grant, missingKey }: ConnectedAccount,
  { action, formToken }: { readonly action: string; readonly formToken: string },
): PageSection {
  const login = grant?.kind === 'login' ? grant.login : undefined
  const info = grant?.kind === 'key' ? grant.account : (login?.account ?? {})
  const facts: Fact[] = [
    ...(accountText(info) === '' ? [] : [['Account', accountText(info)] as const]),
    ['Connected', new Date(connectedAt).toISOString().slice(0, 10)],
    ...(grant?.kind === 'key' ? [['Access', 'by an API key'] as const] : []),
    ...(login?.scopes ? [['Access', login.scopes.length === 0 ? 'none' : login.scopes.join(', ')] as const] : []),
    ...stateFacts(vendor, grant, missingKey),
  ]
  const form = { action, button: 'End this connection', label: `End this connection: ${profile}`, hidden: { form: formToken, profile } }
  return { heading: `${vendor}: ${profile}`, facts, forms: [form] }
}

function stateFacts(vendor: string, grant: Grant | undefined, missingKey: string | undefined): Fact[] {
  if (missingKey !== undefined) {
    const state = `cannot be read, because the server lacks the key ${missingKey}. Tell those who run it, or end this connection and connect the account again.`
    return [['State', state]]
  }
  if (!grant) return [['State', 'cannot be read. End this connection, and connect the account again.']]
  return grant.kind === 'login' && !grant.login.tokens ? [['State', `ended by ${vendor}. The next call asks you to connect it again.`]] : []
}

/** Page for a connection that has ended here but may still exist at the vendor. */
function endedPage({ vendor, profile, note }: { readonly vendor: string; readonly profile: string; readonly note: string }): Page {
  return {
    status: 200,
    title: 'The connection has ended',
    paragraphs: [`Everything stored about the account ${profile} at ${vendor} was deleted.`, note],
  }
}

const noSuchAccountPage: Page = {
  status: 404,
  title: 'There is no such account',
  paragraphs: ['This connection had already ended. Nothing has changed.'],
}
