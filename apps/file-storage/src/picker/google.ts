import {
  commandLine,
  type OAuthProvider,
  profileKey,
  authorize,
  type Page,
  type AuthorizationCode,
  oauthClient,
  type AccountInfo,
  type Login,
  type LoginTarget,
  tokenStoreOf,
} from '@mcp-toolkits/server/account'
import { systemClock, withTimeout } from '@mcp-toolkits/core/base'
import { Forbidden, Message, sentence, ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import { type Fetch, withAuthorization } from '@mcp-toolkits/core/upstream'
import { account } from '../account.ts'
import type { Drive } from '../vendor.ts'
import { type FilePickerOptions, OpenPages, pageLifetimeMs, type PagePicker } from './page-picker.ts'

export function googlePicker(options: FilePickerOptions): PagePicker {
  const { vendor, clock = systemClock } = options
  const open = new OpenPages<GooglePickerPage & { readonly key: string }>()
  const isUsable = ({ expiresAt, isAnswered }: GooglePickerPage) => expiresAt - clock.now() > pageLifetimeMs / 2 && !isAnswered()
  return {
    flow: 'oauth',
    pendingPages: open.pending,
    async openPage() {
      const target = await pickerTarget(options)
      const person = await vendor.currentPerson()
      const key = `${target.client.id} ${person.account}`
      const usable = [...open.pages].find((page) => page.key === key && isUsable(page))
      if (usable) return { url: usable.url, expiresAt: usable.expiresAt }
      const page = await openGooglePicker({ ...options, target, lifetimeMs: pageLifetimeMs })
      open.add({ ...page, key })
      return { url: page.url, expiresAt: page.expiresAt }
    },
    async close() {
      await Promise.all([...open.pages].map((page) => page.close()))
    },
  }
}

/** The application that the server's token belongs to: granting files to any other application would not help. */
async function pickerTarget({ vendor, settings }: FilePickerOptions): Promise<LoginTarget> {
  if (vendor.tokens) return vendor.tokens.login()
  const { environmentTarget } = await import('@mcp-toolkits/server/account')
  const target = environmentTarget(account, settings)
  if (target) return target
  throw new Unauthenticated(
    Message.of(
      'Google’s file picker cannot be opened, because this server does not know the application that its access token belongs to.',
      sentence`Ask the person to set ${{ variable: 'FILE_STORAGE_CLIENT_ID' }} and ${{ variable: 'FILE_STORAGE_CLIENT_SECRET' }} to the OAuth client of that token, or to unset ${{ variable: 'FILE_STORAGE_ACCESS_TOKEN' }} and run the command.`,
    ),
    { next: { command: commandLine(account.server, settings, ['login']) } },
  )
}

export interface GooglePickerOptions extends FilePickerOptions {
  /** The application and its provider's endpoints. */
  readonly target: LoginTarget
  /** Time, in milliseconds, for which the page can be used. */
  readonly lifetimeMs: number
}

/** An open Google page, and the server that the browser returns to. */
export interface GooglePickerPage {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly isAnswered: () => boolean
  /** Resolves once the page is completed, expired or closed. */
  readonly ended: Promise<void>
  readonly close: () => Promise<void>
}

/** The only scope that Google combines with the picker. */
export const pickerScopes = ['drive.file']

/** Timeout, in milliseconds, for the request that asks Google whose account a token is for. */
const whoAmIMs = 10_000

/** Starts Google's flow for programs on a person's machine: https://developers.google.com/workspace/drive/picker/guides/overview-desktop */
export async function openGooglePicker(options: GooglePickerOptions): Promise<GooglePickerPage> {
  const { target, lifetimeMs, vendor, log, clock = systemClock } = options
  const controller = new AbortController()
  const { signal } = controller
  const timer = clock.timer(lifetimeMs, () => {
    controller.abort(new DOMException('No files were chosen in time.', 'TimeoutError'))
  })
  timer.unref()
  const expiresAt = clock.now() + lifetimeMs
  let isAnswered = false
  const opened = Promise.withResolvers<string>()
  const serverAccount = vendor.tokens && (await vendor.currentPerson()).account
  const request = {
    provider: pickerProvider,
    endpoint: target.authorizationUrl,
    clientId: target.client.id,
    scopes: pickerScopes,
    port: 0,
    signal,
    pages: { title: 'Choosing files', failed: failedPage },
    onUrl(url: string) {
      opened.resolve(url)
      return Promise.resolve()
    },
  }
  const ended = authorize(request, async (code, query) => {
    isAnswered = true
    const count = chosenCount(query)
    if (count === 0) return { result: undefined, page: nothingChosenPage }
    return { result: undefined, page: await completeChoice({ code, count, serverAccount }, options, signal) }
  })
    .catch((error: unknown) => {
      opened.reject(error)
      if (!signal.aborted) log?.info('picker', { outcome: error instanceof ToolError ? error.code : 'failed' })
    })
    .finally(timer.cancel)
  return {
    url: await opened.promise,
    expiresAt,
    isAnswered: () => isAnswered,
    ended,
    close() {
      controller.abort(new DOMException('The server is closing.', 'AbortError'))
      return ended
    },
  }
}

/**
 * Requests one scope, never together with previously granted scopes. The expected account is not sent, because models and clients see the
 * URL. The last page detects that someone else signed in.
 */
export const pickerProvider: OAuthProvider = {
  ...account.provider,
  authorizationParameters: {
    ...account.provider.authorizationParameters,
    trigger_onepick: 'true',
    allow_multiple: 'true',
    allow_folder_selection: 'true',
    include_granted_scopes: 'false',
  },
}

/** Number of chosen items; undefined if Google does not report it. */
export function chosenCount(query: URLSearchParams): number | undefined {
  return query
    .get('picked_file_ids')
    ?.split(',')
    .filter((id) => id !== '').length
}

/** The data that the browser brings back from Google's page. */
interface Choice {
  readonly code: AuthorizationCode
  /** Number of chosen items, if Google reports it. */
  readonly count: number | undefined
  /** The account in use on the server when the page was opened; undefined for an environment token. */
  readonly serverAccount: string | undefined
}

/**
 * Exchanges the code, without which Google grants nothing. The token is stored only if there is no login, because an existing login may
 * have more scopes. The token is not revoked, because that would also revoke the application's login.
 */
async function completeChoice({ code, count, serverAccount }: Choice, options: GooglePickerOptions, signal: AbortSignal): Promise<Page> {
  const { target, vendor, fetch = globalThis.fetch, clock } = options
  const client = oauthClient({ provider: account.provider, target, fetch, clock })
  const { tokens, scopes = pickerScopes } = await client.exchangeCode(code, signal)
  const chooser = { fetch: withAuthorization(fetch, vendor.url, () => `Bearer ${tokens.accessToken.reveal()}`), url: vendor.url }
  const [info, expected] = await Promise.all([accountInfo(chooser, options), serverAccount ?? accountName(vendor, options)])
  if (isAnotherPerson(info, expected)) return otherPersonPage(info, expected)
  const isStored = await storeIfFirst({ ...target, apiUrl: vendor.url, account: info, scopes, tokens }, options)
  return chosenPage(count, isStored ? [loginStoredNotice(info, options)] : [])
}

/** The credentials' account, if Google names it. */
export async function accountInfo(
  api: { readonly fetch: Fetch; readonly url: string },
  { clock }: Pick<FilePickerOptions, 'clock'>,
): Promise<AccountInfo> {
  const reason = () => new DOMException('Google did not say whose account it is.', 'TimeoutError')
  return withTimeout({ ms: whoAmIMs, reason, clock }, ({ signal }) => account.whoAmI(api, signal)).catch(() => ({}))
}

async function accountName(vendor: Drive, options: FilePickerOptions): Promise<string> {
  return (await accountInfo(vendor, options))['account'] ?? ''
}

/** Stores the login unless there is one. The files are granted to the application in any case, so a failure here is only logged. */
async function storeIfFirst(login: Login, { settings, log }: FilePickerOptions): Promise<boolean> {
  const store = tokenStoreOf(settings)
  const profile = profileKey(account, settings)
  try {
    return await store.withLock(profile, async () => {
      if (await store.read(profile)) return false
      await store.write(profile, login)
      log?.warn('picker', { outcome: 'login stored', undo: logoutCommand(settings) })
      return true
    })
  } catch (error) {
    log?.warn('picker', { outcome: 'login not stored', problem: error instanceof Error ? error.name : 'unknown' })
    return false
  }
}

function logoutCommand(settings: FilePickerOptions['settings']): string {
  return commandLine(account.server, settings, ['logout'])
}

const emailIn = (name: string) => /<([^<>@]+@[^<>@]+)>$/.exec(name)?.[1]

/** True if two accounts are known to belong to different people. */
export function isAnotherPerson({ account: name = '' }: AccountInfo, expected: string): boolean {
  const [actualEmail, expectedEmail] = [emailIn(name), emailIn(expected)]
  return actualEmail !== undefined && expectedEmail !== undefined && actualEmail.toLowerCase() !== expectedEmail.toLowerCase()
}

function loginStoredNotice({ account: name = 'this account' }: AccountInfo, { settings }: FilePickerOptions): string {
  return `No login was stored on this machine, so this one is, as ${name}. The server uses it once ${account.credentials[0].variable} is no longer set. To remove it, run: ${logoutCommand(settings)}`
}

/** Pages that the browser returns to from Google's picker. */

export function otherPersonPage({ account: name = '' }: AccountInfo, expected: string): Page {
  const paragraphs = [
    `You chose files as ${name}, but the server works as ${expected}, so it cannot use them.`,
    'Ask for a new link, and choose as that person. You can close this page.',
  ]
  return { status: 400, title: 'These files belong to a different account', paragraphs }
}

export function chosenPage(count: number | undefined, more: readonly string[]): Page {
  const chosen = count === undefined ? 'What you chose' : `You chose ${count === 1 ? '1 item, which' : `${count} items, which`}`
  const paragraphs = [`${chosen} can be used now.`, ...more, 'Go back and have the last step repeated. You can close this page.']
  return { status: 200, title: 'Your files are ready', paragraphs }
}

export const nothingChosenPage: Page = {
  status: 400,
  title: 'No files were chosen',
  paragraphs: [
    'You chose nothing, so nothing has changed.',
    'To choose after all, go back and ask for a new link. You can close this page.',
  ],
}

export function failedPage(error: unknown): Page {
  const reason = error instanceof Forbidden ? 'You gave no access, so nothing has changed.' : 'Google did not confirm what you chose.'
  const paragraphs = [reason, 'To choose again, go back and ask for a new link. You can close this page.']
  return { status: 400, title: 'No files were chosen', paragraphs }
}
