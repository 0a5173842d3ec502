import { authorized, Forbidden, ToolError, type Fetch } from '@mcp-toolkits/core'
import { credentialFile, type BroughtCode, type Identity, type Login, type Provider } from '@mcp-toolkits/core/accounts'
import { issuerOf } from '@mcp-toolkits/server/accounts'
import { placeOf } from '@mcp-toolkits/server/stored-login'
import { consent, type Asked, type ConsentOptions } from '@mcp-toolkits/server/consent'
import { whoIsAt } from './person.ts'
import { signIn } from './sign-in.ts'
import { source } from './upstream.ts'
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
  readonly asked: Asked
  readonly key: string
  /** In milliseconds. */
  readonly lasts: number
}

/** Begins Google's flow for programs on a person's machine: https://developers.google.com/workspace/drive/picker/guides/overview-desktop */
export async function openConsent(options: ConsentFor): Promise<OpenConsent> {
  const { asked, key, lasts, log } = options
  const expected = options.vendor.who().account
  const ending = new AbortController()
  const timer = setTimeout(() => {
    ending.abort(new DOMException('Nobody chose files.', 'TimeoutError'))
  }, lasts)
  timer.unref()
  let isAnswered = false
  const shown = Promise.withResolvers<string>()
  const { client, authorizationUrl: endpoint } = asked
  const asking: ConsentOptions = {
    provider: pickingProvider(expected),
    endpoint,
    clientId: client.id,
    scopes,
    port: 0,
    signal: ending.signal,
    pages: { title: 'Choosing files', failed: failedPage },
    show(url) {
      shown.resolve(url)
      return Promise.resolve()
    },
  }
  const ended = consent(asking, async (code) => {
    isAnswered = true
    return { result: undefined, page: await settled(code, { ...options, expected }, ending.signal) }
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

/** Google as it is asked for the picker: with one scope, and never together with scopes that were granted before. */
function pickingProvider(expected: string): Provider {
  const email = emailIn(expected)
  const parameters = {
    ...signIn.provider.parameters,
    trigger_onepick: 'true',
    allow_multiple: 'true',
    allow_folder_selection: 'true',
    include_granted_scopes: 'false',
    ...(email !== undefined && { login_hint: email }),
  }
  return { ...signIn.provider, parameters }
}

/**
 * Redeems the code, without which Google grants nothing, and says in the browser how it ended. The token is stored where no login is:
 * one that is there may do more. It is not revoked, because that would end the login of the same application too.
 */
async function settled(code: BroughtCode, options: ConsentFor & { readonly expected: string }, signal: AbortSignal) {
  const { asked, vendor, fetch = globalThis.fetch } = options
  const given = await issuerOf(signIn.provider, asked, fetch).redeem(code, signal)
  const { scopes: granted = scopes, ...tokens } = given
  const identity = await whoIs(authorized(fetch, vendor.url, `Bearer ${tokens.accessToken.reveal()}`), vendor.url)
  const { client, authorizationUrl, tokenUrl, revocationUrl } = asked
  const addresses = { authorizationUrl, tokenUrl, revocationUrl, apiUrl: vendor.url }
  await keepIfFirst({ client, ...addresses, identity, scopes: granted, tokens }, options)
  return donePage(identity, options.expected)
}

/** Whom a token is for, if Google says so. */
async function whoIs(fetch: Fetch, url: string): Promise<Identity> {
  return whoIsAt({ fetch, url }, AbortSignal.timeout(whoMs)).catch(() => ({}))
}

async function keepIfFirst(login: Login, { settings, log }: PickerOptions): Promise<void> {
  const file = credentialFile(settings.dataDirectory)
  const place = placeOf(source.server, settings)
  await file
    .alone(place, async () => {
      if (!file.read(place)) await file.write(place, login)
    })
    .catch(() => {
      // The files are granted all the same, to the application and not to this token.
      log?.warn('picker', { outcome: 'login not stored' })
    })
}

const emailIn = (account: string) => /<([^<>]+@[^<>]+)>$/.exec(account)?.[1]

function donePage({ account }: Identity, expected: string) {
  if (account !== undefined && emailIn(expected) !== undefined && emailIn(account) !== emailIn(expected)) {
    const paragraphs = [
      `You chose files as ${account}, and the server is signed in as ${expected}, so it cannot use them.`,
      'Ask for a new address, and choose as that person. You can close this page.',
    ]
    return { status: 400, title: 'These files are of another account', paragraphs }
  }
  const paragraphs = ['The files that you chose can be used now.', 'Go back and have the last step repeated. You can close this page.']
  return { status: 200, title: 'Your files are ready', paragraphs }
}

function failedPage(error: unknown) {
  const wasRefused = error instanceof Forbidden
  const why = wasRefused ? 'You gave no access, and nothing has changed.' : 'Google did not confirm what you chose.'
  const paragraphs = [why, 'To choose again, go back and ask for a new address. You can close this page.']
  return { status: 400, title: 'No files were chosen', paragraphs }
}
