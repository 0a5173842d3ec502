import { commandLine, type OAuthProvider, profileKey } from '@mcp-toolkits/auth/account'
import { type AuthorizationOptions, authorize, type Page } from '@mcp-toolkits/auth/authorization'
import { type AuthorizationCode, oauthClient } from '@mcp-toolkits/auth/oauth-client'
import type { AccountInfo, Login, LoginTarget } from '@mcp-toolkits/auth/stored-login'
import { openTokenStore } from '@mcp-toolkits/auth/token-store'
import { withAuthorization, Forbidden, ToolError, type Fetch } from '@mcp-toolkits/core'
import { account } from './account.ts'
import { whoAmIAt } from './person.ts'
import type { PickerOptions } from './file-picker.ts'

/** How long Google may take to say whom a token is for, in milliseconds. */
const whoMs = 10_000

/** The one scope that goes with the picker. */
const scopes = ['drive.file']

/** A page of Google that waits for its person, and the way back from there. */
export interface OpenConsent {
  /** By what it is told apart from pages for others. */
  readonly client: string
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly isAnswered: () => boolean
  /** Resolves when nothing listens any more, however that came. */
  readonly ended: Promise<void>
  readonly end: () => Promise<void>
}

export interface ConsentFor extends PickerOptions {
  readonly target: LoginTarget
  readonly key: string
  /** In milliseconds. */
  readonly lasts: number
}

/** Begins Google's flow for programs on a person's machine: https://developers.google.com/workspace/drive/picker/guides/overview-desktop */
export async function openConsent(options: ConsentFor): Promise<OpenConsent> {
  const { target, key, lasts, log } = options
  const ending = new AbortController()
  const timer = setTimeout(() => {
    ending.abort(new DOMException('Nobody chose files.', 'TimeoutError'))
  }, lasts)
  timer.unref()
  let isAnswered = false
  const shown = Promise.withResolvers<string>()
  const { client, authorizationUrl: endpoint } = target
  const authorization: AuthorizationOptions = {
    provider,
    endpoint,
    clientId: client.id,
    scopes,
    port: 0,
    signal: ending.signal,
    pages: { title: 'Choosing files', failed: failedPage },
    onUrl(url) {
      shown.resolve(url)
      return Promise.resolve()
    },
  }
  const server = options.vendor.tokens && (await options.vendor.currentPerson()).account
  const ended = authorize(authorization, async (code, query) => {
    isAnswered = true
    const picked = query
      .get('picked_file_ids')
      ?.split(',')
      .filter((id) => id !== '')
    const page = picked?.length === 0 ? nothingPage : await settled({ code, picked: picked?.length, server }, options, ending.signal)
    return { result: undefined, page }
  })
    .catch((error: unknown) => {
      shown.reject(error)
      if (!ending.signal.aborted) log?.info('picker', { outcome: error instanceof ToolError ? error.code : 'failed' })
    })
    .finally(() => {
      clearTimeout(timer)
    })
  const url = await shown.promise
  return {
    client: key,
    url,
    expiresAt: Date.now() + lasts,
    isAnswered: () => isAnswered,
    ended,
    end() {
      ending.abort(new DOMException('The server ends.', 'AbortError'))
      return ended
    },
  }
}

/**
 * Google as it is asked for the picker: with one scope, and never together with scopes that were granted before. Nor is it told who is
 * expected: the address is shown to a model and to a client, and the last page notices another person.
 */
const provider: OAuthProvider = {
  ...account.provider,
  authorizationParameters: {
    ...account.provider.authorizationParameters,
    trigger_onepick: 'true',
    allow_multiple: 'true',
    allow_folder_selection: 'true',
    include_granted_scopes: 'false',
  },
}

/** What the browser brought. */
interface Chosen {
  readonly code: AuthorizationCode
  /** How much was chosen, if Google says so. */
  readonly picked: number | undefined
  /** Whom the server was signed in as when it asked; undefined where it has a token of its environment. */
  readonly server: string | undefined
}

/**
 * Redeems the code, without which Google grants nothing, and says in the browser how it ended. The token is stored where no login is:
 * one that is there may do more. It is not revoked, because that would end the login of the same application too.
 */
async function settled({ code, picked, server }: Chosen, options: ConsentFor, signal: AbortSignal): Promise<Page> {
  const { target, vendor, fetch = globalThis.fetch, clock } = options
  const client = oauthClient({ provider: account.provider, target, fetch, clock })
  const { tokens, scopes: granted = scopes } = await client.exchangeCode(code, signal)
  const [identity, expected] = await Promise.all([
    whoIs(withAuthorization(fetch, vendor.url, `Bearer ${tokens.accessToken.reveal()}`), vendor.url),
    server ?? whoIs(vendor.fetch, vendor.url).then(({ account: person = '' }) => person),
  ])
  if (isAnother(identity, expected)) return otherPersonPage(identity, expected)
  const login = { ...target, apiUrl: vendor.url, account: identity, scopes: granted, tokens }
  const isStored = await keepIfFirst(login, options)
  return donePage(picked, isStored ? storedIn(identity, options) : [])
}

/** Whom a token is for, if Google says so. */
async function whoIs(fetch: Fetch, url: string): Promise<AccountInfo> {
  return whoAmIAt({ fetch, url }, AbortSignal.timeout(whoMs)).catch(() => ({}))
}

/** Whether the login is stored now, and was not before. */
async function keepIfFirst(login: Login, { settings, log }: PickerOptions): Promise<boolean> {
  const store = openTokenStore(settings.dataDirectory)
  const profile = profileKey(account, settings)
  try {
    return await store.withLock(profile, async () => {
      if (await store.read(profile)) return false
      await store.write(profile, login)
      log?.warn('picker', { outcome: 'login stored', undo: commandLine(account.server, settings, ['logout']) })
      return true
    })
  } catch (error) {
    // The files are granted all the same, to the application and not to this token.
    log?.warn('picker', { outcome: 'login not stored', problem: error instanceof Error ? error.name : 'unknown' })
    return false
  }
}

const emailIn = (account: string) => /<([^<>]+@[^<>]+)>$/.exec(account)?.[1]

/** Whether two accounts are known to be of two people. */
function isAnother({ account: person = '' }: AccountInfo, expected: string): boolean {
  const [here, there] = [emailIn(person), emailIn(expected)]
  return here !== undefined && there !== undefined && here.toLowerCase() !== there.toLowerCase()
}

function otherPersonPage({ account: person = '' }: AccountInfo, expected: string): Page {
  const paragraphs = [
    `You chose files as ${person}, and the server works as ${expected}, so it cannot use them.`,
    'Ask for a new address, and choose as that person. You can close this page.',
  ]
  return { status: 400, title: 'These files are of another account', paragraphs }
}

function donePage(picked: number | undefined, more: readonly string[]): Page {
  const chosen = picked === undefined ? 'What you chose' : `You chose ${picked === 1 ? '1 item, which' : `${picked} items, which`}`
  const paragraphs = [`${chosen} can be used now.`, ...more, 'Go back and have the last step repeated. You can close this page.']
  return { status: 200, title: 'Your files are ready', paragraphs }
}

/** What is to be said where the person came for files and is signed in besides. */
function storedIn({ account: person = 'this account' }: AccountInfo, { settings }: PickerOptions): string[] {
  const undo = commandLine(account.server, settings, ['logout'])
  return [
    `No login was stored on this machine, so this one is, as ${person}. The server uses it once ${account.credentials[0].variable} is no longer set. To remove it, run: ${undo}`,
  ]
}

const nothingPage: Page = {
  status: 400,
  title: 'No files were chosen',
  paragraphs: [
    'You chose nothing, and nothing has changed.',
    'To choose after all, go back and ask for a new address. You can close this page.',
  ],
}

function failedPage(error: unknown) {
  const wasRefused = error instanceof Forbidden
  const why = wasRefused ? 'You gave no access, and nothing has changed.' : 'Google did not confirm what you chose.'
  const paragraphs = [why, 'To choose again, go back and ask for a new address. You can close this page.']
  return { status: 400, title: 'No files were chosen', paragraphs }
}
