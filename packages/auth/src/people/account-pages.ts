import { accountText } from '../login.ts'
import type { Fact, Page, PageSection } from '../page.ts'
import type { Grant } from './grant.ts'

/** An account of a person. */
export interface ConnectedAccount {
  readonly profile: string
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  /** Undefined for one that cannot be read. */
  readonly grant: Grant | undefined
  /** The id of the vault key that such a grant needs, where that is why. */
  readonly missingKey?: string
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

/** For a browser that is not signed in. */
export function signInPage(title: string, action: string): Page {
  return {
    status: 200,
    title: `Your accounts in ${title}`,
    paragraphs: ['Sign in to your company to see which accounts you have connected, and to end connections.'],
    forms: [{ action, button: 'Sign in', isMain: true }],
  }
}

export function accountsPage({ title, vendor, name, accounts, formToken, actions }: AccountsPage): Page {
  const who = name === undefined ? 'You are signed in.' : `You are signed in as ${name}.`
  const none = `You have connected no account at ${vendor}. A link to connect one comes with the first call that needs it.`
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
  if (!grant) return [['State', 'cannot be read. End it, and connect the account again.']]
  return grant.kind === 'login' && !grant.login.tokens ? [['State', `ended by ${vendor}. The next call asks you to connect it again.`]] : []
}

/** For a connection that is gone here, and may go on at the vendor. */
export function endedPage({ vendor, profile, note }: { readonly vendor: string; readonly profile: string; readonly note: string }): Page {
  return {
    status: 200,
    title: 'The connection has ended',
    paragraphs: [`What was stored about the account ${profile} at ${vendor} is deleted.`, note],
  }
}

export const noSuchAccountPage: Page = {
  status: 404,
  title: 'There is no such account',
  paragraphs: ['The connection has ended already. Nothing has changed now.'],
}
