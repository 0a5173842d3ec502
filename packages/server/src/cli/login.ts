import { withDetails, withAuthorization, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import { credentialFile, lackingScopes, type Identity, type Login, type Tokens } from '@mcp-toolkits/core/accounts'
import { askedAgain, askedBySettings, type Asked } from '../accounts/asked.ts'
import { browserFor, mayOpen, startAlone } from '../accounts/browser.ts'
import { consent, type ConsentOptions } from '../accounts/consent.ts'
import type { Page } from '../accounts/page.ts'
import { removeYourself, revoked } from '../accounts/revoking.ts'
import { lackingFor } from '../accounts/scopes.ts'
import type { SignIn } from '../accounts/sign-in.ts'
import { issuerOf } from '../accounts/stored.ts'
import { placeOf } from '../accounts/stored-login.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { isSystemError } from '../system-error.ts'
import { print, printable, runInterruptibly, UsageError, type Command, type Console } from './command.ts'

/** How long a person may take in the browser where the server does not say, in milliseconds. */
const patienceMs = 5 * 60_000

/** How long the vendor may take to say whom tokens are for, in milliseconds. */
const whoMs = 10_000

/** Has a person sign in with a browser, and stores the login for the servers. */
export const login: Command = async (definition, { settings, operands, scopes, browser, port = 0 }, console) => {
  const { signIn, name } = definition
  if (!signIn) throw new UsageError(`${definition.title} has no sign-in. ${definition.connectHint}`)
  if (operands.length > 0) throw new UsageError(`login takes no ${operands.join(' ')}; scopes go behind --scopes, with commas.`)
  const { name: provider } = signIn.provider
  const file = credentialFile(settings.dataDirectory)
  const place = placeOf(name, settings)
  const before = readable(() => file.read(place))
  const wanted = wantedOf(signIn, settings, { scopes, before: before.login })
  const limit = definition.elicitationTimeoutMs ?? patienceMs
  const attempting = {
    port,
    isFirst: before.isKnown && !before.login?.tokens,
    store: (login: Login) => file.alone(place, () => file.write(place, login)).catch(unstored(file.path)),
    show: (url: string) => tell(url, { signIn, browser, console, minutes: Math.ceil(limit / 60_000) }),
    missing: (login: Login) => leftOut({ ...definition, signIn }, wanted.scopes, login.scopes ?? []),
  }
  return runInterruptibly(console, async (interrupt) => {
    const late = new DOMException('Nobody signed in.', 'TimeoutError')
    const timer = setTimeout(() => {
      interrupt.abort(late)
    }, limit)
    try {
      // Nobody is sent to a browser for a login that cannot be stored.
      await file.checkWritable(place).catch(unstored(file.path))
      const signed = await signedIn(signIn, wanted, { ...attempting, signal: interrupt.signal })
      const stored = [`Stored in ${file.path}.`, ...notes(signIn, settings)]
      await print(console.output, [...summary(signed, provider), ...attempting.missing(signed), ...stored].join('\n'))
      return 0
    } catch (error) {
      const why = error === late ? 'Nobody signed in within the time for that. Run the command again.' : messageOf(error)
      await print(console.errors, `${name}: ${why}`)
      return 1
    } finally {
      clearTimeout(timer)
    }
  })
}

/** What the disk refuses is told with the file that it is about. */
function unstored(path: string) {
  return (error: unknown): never => {
    throw isSystemError(error)
      ? new Unavailable(`The login cannot be stored, because ${path} cannot be written (${error.code}).`, { retryable: false })
      : error
  }
}

/** The text of an error that people are meant to read; any other goes on. */
function messageOf(error: unknown): string {
  if (error instanceof ToolError) return error.message
  throw error
}

interface Attempting extends Pick<ConsentOptions, 'port' | 'show' | 'signal'> {
  /** Whether there is surely no login yet that the new one takes the place of. */
  readonly isFirst: boolean
  readonly store: (login: Login) => Promise<void>
  /** What the person is told of scopes that were not granted. */
  readonly missing: (login: Login) => readonly string[]
}

/** The login that a person consented to, stored before the browser is told so. */
async function signedIn(signIn: SignIn, wanted: Wanted, { isFirst, store, missing, ...attempting }: Attempting): Promise<Login> {
  const { provider } = signIn
  const asking = { provider, endpoint: wanted.authorizationUrl, clientId: wanted.client.id, scopes: wanted.scopes, ...attempting }
  const issuer = issuerOf(provider, wanted, globalThis.fetch)
  return consent(asking, async (code) => {
    const given = await issuer.redeem(code, attempting.signal)
    // A provider that does not say gave what was asked for: https://www.rfc-editor.org/rfc/rfc6749#section-5.1
    const { scopes = wanted.scopes, ...tokens } = given
    const login = { ...wanted, scopes, tokens }
    try {
      const identity = await whoIs(signIn, login)
      const result = { ...login, identity }
      await store(result)
      return { result, page: donePage(provider.name, identity, missing(result)) }
    } catch (error) {
      // Where there is a login of this application already, providers would end that one, too.
      const problem = isFirst ? await revoked(login, issuer) : undefined
      if (!problem || !(error instanceof ToolError)) throw error
      throw withDetails(
        error,
        `${error.message} ${provider.name} counts a login all the same: ${problem.message} ${removeYourself}`,
        error.details,
      )
    }
  })
}

function donePage(name: string, identity: Identity, missing: readonly string[]): Page {
  const who = inWords(identity)
  const paragraphs = [...(who === '' ? [] : [`You are signed in as ${who}.`]), ...missing, 'You can close this page.']
  return { status: 200, title: `Signed in to ${name}`, paragraphs }
}

/** What a person may not have noticed that they refused, and what it costs. */
function leftOut(
  { signIn, listed }: Required<Pick<ServerDefinition<never>, 'signIn' | 'listed'>>,
  wanted: readonly string[],
  granted: readonly string[],
): string[] {
  const missing = lackingScopes(wanted, granted, signIn.provider.scopes)
  if (missing.length === 0) return []
  const lost = listed.filter((tool) => lackingFor({ signIn }, tool, granted).length > lackingFor({ signIn }, tool, wanted).length)
  const cost =
    lost.length === 0
      ? ''
      : ` ${lost.length} of ${listed.length} tools cannot be used like this. Run the command again, and allow it on the page of ${signIn.provider.name}.`
  return [`You left out ${missing.join(', ')}.${cost}`]
}

type Wanted = Asked & { readonly scopes: readonly string[] }

/** What is asked for, and of whom. Throws `UsageError` for what the person has to set first. */
function wantedOf(
  signIn: SignIn,
  settings: Settings,
  { scopes, before }: { scopes: readonly string[]; before: Login | undefined },
): Wanted {
  try {
    // Whoever signs in again in a terminal that knows nothing of it does so as before.
    const asked = askedBySettings(signIn, settings) ?? (before && askedAgain(signIn, settings, before))
    if (!asked) throw new UsageError(`Set ${signIn.variables.clientId} first. ${signIn.registration}`)
    const { client, authorizationUrl, tokenUrl, revocationUrl, apiUrl } = asked
    const wanted = scopes.length > 0 ? scopes : signIn.provider.scopes.asked
    return { client, authorizationUrl, tokenUrl, revocationUrl, apiUrl, scopes: wanted }
  } catch (error) {
    throw error instanceof Unauthenticated ? new UsageError(error.message) : error
  }
}

/** What is stored under this name, if it can be read; a damaged file is mended by storing into it. */
function readable(read: () => Login | undefined): { readonly isKnown: boolean; readonly login: Login | undefined } {
  try {
    return { isKnown: true, login: read() }
  } catch (error) {
    if (error instanceof Unauthenticated) return { isKnown: false, login: undefined }
    throw error
  }
}

interface Telling {
  readonly signIn: SignIn
  readonly browser: boolean
  readonly console: Console
  /** For how long the person is waited for. */
  readonly minutes: number
}

/** Shows the address, and opens it where that is wanted and safe. It is shown in any case: a browser may not start. */
async function tell(url: string, { signIn: { provider }, browser, console, minutes }: Telling): Promise<void> {
  const { environment } = console
  const start = browser && mayOpen(url, provider) ? browserFor(url, { platform: process.platform, environment }) : undefined
  const lead = start
    ? `A browser opens to sign in to ${provider.name}. If none does, open this address on this machine:`
    : `To sign in to ${provider.name}, open this address in a browser on this machine:`
  await print(console.output, `${lead}\n\n${url}\n\nWaiting for up to ${minutes} min; Ctrl-C gives up.`)
  if (start) startAlone(start, environment)
}

/** Whom the tokens are for. Not to know is no reason to throw a login away; that the vendor refuses them is one. */
async function whoIs(
  { whoAmI, provider }: SignIn,
  { apiUrl, tokens }: Pick<Login, 'apiUrl'> & { readonly tokens: Tokens },
): Promise<Identity> {
  const fetch = withAuthorization(globalThis.fetch, apiUrl, `Bearer ${tokens.accessToken.reveal()}`)
  try {
    return await whoAmI({ fetch, url: apiUrl }, AbortSignal.timeout(whoMs))
  } catch (error) {
    if (!(error instanceof Unauthenticated)) return {}
    throw new Unauthenticated(`${apiUrl} does not take what ${provider.name} gave out, so nothing was stored.`)
  }
}

function summary({ identity, scopes = [], tokens }: Login, name: string): string[] {
  const who = inWords(identity)
  const renewal = tokens?.refreshToken ? [] : [`${name} gave nothing to renew the login with: it ends by itself.`]
  const signed = who === '' ? `Signed in to ${name}, which did not say as whom just now.` : `Signed in to ${name} as ${who}.`
  return [signed, `Scopes: ${scopes.join(', ')}.`, ...renewal]
}

const inWords = (identity: Identity) => printable(Object.values(identity).join(', '))

/** What keeps a login from being used. */
function notes({ variables }: SignIn, { embedded, environment }: Settings): string[] {
  const winning = embedded ? ['--embedded'] : variables.before.filter((variable) => environment[variable] !== undefined)
  if (winning.length > 0) return [`It is not used as long as ${winning.join(' and ')} is set.`]
  return [
    'A server that runs on another login uses this one with its next call. One that runs on the embedded default has to be restarted.',
  ]
}
