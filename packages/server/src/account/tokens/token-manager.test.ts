import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { inspect } from 'node:util'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { TokenManager } from './token-manager.ts'
import { openTokenStore } from './login-store.ts'
import type { Login } from './login-format.ts'
import { signInStep } from '../account.ts'
import { strictProvider } from '../../../test/account/strict-provider.ts'
import { key, loginWith, minute, noon, tokensNamed } from '../../../test/account/logins.ts'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'

const url = 'https://api.acme.example/v1'

/** Token managers that share one file and a clock. */
async function setUp(login: Login = loginWith(), before?: () => Promise<void>) {
  const storeFailures: string[] = []
  const directory = await temporaryDirectory()
  // Locks are real, and so is the wait for them.
  const store = openTokenStore(directory)
  await store.write(key, login)
  const clock = new ManualClock({ start: noon })
  const provider = strictProvider({ now: clock.now, ...(before && { before }) })
  const open = (apiUrl = url) =>
    new TokenManager({
      store: openTokenStore(directory),
      key,
      apiUrl,
      client: () => Promise.resolve(provider.client),
      vendor: 'Acme',
      signIn: () => signInStep({ server: 'acme' }, { embedded: false, environment: {}, dataDirectory: directory }),
      onStoreFailure: (reason) => storeFailures.push(reason),
      clock,
    })
  const storedTokens = async () => (await store.read(key))?.tokens
  return { ...provider, storeFailures, store, storedTokens, directory, open, tokens: open(), pass: clock.advance.bind(clock) }
}

async function refusal(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ToolError)) throw new Error(`Not refused in a typed way: ${inspect(error)}`)
  return error.toJSON()
}

describe('an access token', () => {
  it('is used until a minute before its end, and then refreshed once', async () => {
    const { tokens, pass, used, storedTokens } = await setUp()
    await pass(59 * minute - 1)
    expect((await tokens.accessToken()).reveal()).toBe('access-first')
    await pass(1)
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
    expect(used).toEqual(['refresh-first'])
    expect((await storedTokens())?.refreshToken?.reveal()).toBe('refresh-renewed-1')
  })

  it('without a known end is used until it is refused', async () => {
    const { accessToken, refreshToken } = tokensNamed('first')
    const { tokens, pass } = await setUp(loginWith({ tokens: { accessToken, refreshToken } }))
    await pass(1000 * minute)
    expect((await tokens.accessToken()).reveal()).toBe('access-first')
    expect((await tokens.replaceToken(accessToken)).reveal()).toBe('access-renewed-1')
  })

  it('is refreshed once for concurrent calls of several managers', async () => {
    const { open, pass, used } = await setUp()
    await pass(60 * minute)
    const managers = Array.from({ length: 10 }, () => open())
    const results = await Promise.all(managers.flatMap((manager) => [manager.accessToken(), manager.accessToken()]))
    expect(new Set(results.map((token) => token.reveal()))).toEqual(new Set(['access-renewed-1']))
    expect(used).toEqual(['refresh-first'])
  })

  it('that was refused is replaced once for concurrent calls of several managers', async () => {
    const { open, used } = await setUp()
    const managers = Array.from({ length: 5 }, () => open())
    const { accessToken } = tokensNamed('first')
    const results = await Promise.all(managers.flatMap((manager) => [manager.replaceToken(accessToken), manager.replaceToken(accessToken)]))
    expect(new Set(results.map((token) => token.reveal()))).toEqual(new Set(['access-renewed-1']))
    expect(used).toEqual(['refresh-first'])
  })

  it('never uses a refresh token twice, however often and by however many managers it is refused', async () => {
    const { open, used } = await setUp()
    const managers = Array.from({ length: 4 }, () => open())
    for (let round = 0; round < 5; round += 1) {
      const refused = await Promise.all(managers.map((manager) => manager.accessToken()))
      await Promise.all(managers.map((manager, index) => manager.replaceToken(refused[index] ?? tokensNamed('none').accessToken)))
    }
    expect(used).toHaveLength(5)
    expect(new Set(used).size).toBe(5)
  })

  it('is used until its end while it cannot be refreshed', async () => {
    let attempts = 0
    const away = () => {
      attempts += 1
      return Promise.reject(new Unavailable('Acme is down.'))
    }
    const { tokens, pass } = await setUp(loginWith(), away)
    await pass(59 * minute)
    for (let call = 0; call < 3; call += 1) expect((await tokens.accessToken()).reveal()).toBe('access-first')
    // Only one attempt, not one per call.
    expect(attempts).toBe(1)
    await pass(10_000)
    expect((await tokens.accessToken()).reveal()).toBe('access-first')
    expect(attempts).toBe(2)
    await pass(50_000)
    expect(await refusal(tokens.accessToken())).toMatchObject({ code: 'unavailable', message: 'Acme is down.' })
    expect(attempts).toBe(3)
  })

  it('is used while the provider is slow, and the refresh goes on', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { tokens, pass, storedTokens } = await setUp(loginWith(), () => answer.promise)
    await pass(59 * minute)
    const results: string[] = []
    const call = async () => {
      const token = await tokens.accessToken()
      results.push(token.reveal())
    }
    const calls = [call(), call()]
    await pass(0)
    await pass(1_499)
    expect(results).toEqual([])
    await pass(1)
    expect(results).toEqual(['access-first', 'access-first'])
    await call()
    answer.resolve(undefined)
    await Promise.all(calls)
    await tokens.idle()
    expect((await storedTokens())?.accessToken.reveal()).toBe('access-renewed-1')
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
  })

  it('that was refused is refreshed, even if a refresh for a different reason returns the same token', async () => {
    const { tokens, store, pass, used } = await setUp()
    await pass(59 * minute)
    const held = Promise.withResolvers<undefined>()
    const holding = store.withLock(key, () => held.promise)
    const waiting = tokens.accessToken()
    // Another process has refreshed it, and the vendor has refused the new tokens.
    await store.write(key, loginWith({ tokens: tokensNamed('other', noon + 59 * minute) }))
    const refused = tokens.replaceToken(tokensNamed('other').accessToken)
    held.resolve(undefined)
    await holding
    expect((await waiting).reveal()).toBe('access-other')
    expect((await refused).reveal()).toBe('access-renewed-1')
    expect(used).toEqual(['refresh-other'])
  })

  it('is the new one after a person has signed in again', async () => {
    const { tokens, store, used } = await setUp()
    expect((await tokens.accessToken()).reveal()).toBe('access-first')
    await store.write(key, loginWith({ tokens: tokensNamed('again') }))
    expect((await tokens.accessToken()).reveal()).toBe('access-again')
    expect((await tokens.replaceToken(tokensNamed('first').accessToken)).reveal()).toBe('access-again')
    expect(used).toEqual([])
  })
})

describe('a caller that gives up', () => {
  it('stops waiting, while the refresh goes on and is stored', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { tokens, pass, storedTokens } = await setUp(loginWith(), () => answer.promise)
    await pass(60 * minute)
    const caller = new AbortController()
    const waiting = tokens.accessToken(caller.signal)
    const error = waiting.catch((error: unknown) => error)
    await pass(0)
    caller.abort(new DOMException('Enough.', 'AbortError'))
    expect(await error).toMatchObject({ message: 'Enough.' })
    answer.resolve(undefined)
    await tokens.idle()
    expect((await storedTokens())?.accessToken.reveal()).toBe('access-renewed-1')
  })
})

describe('a person', () => {
  const login = { command: 'acme-mcp login' }

  it('is asked to sign in when there is no login', async () => {
    const { tokens, store } = await setUp()
    await store.write(key, undefined)
    const error = await refusal(tokens.accessToken())
    expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login })
    expect(error.message).toContain('Not signed in to Acme.')
    await store.write(key, loginWith({ tokens: tokensNamed('again') }))
    expect((await tokens.accessToken()).reveal()).toBe('access-again')
  })

  it('is asked to sign in again when the provider has ended the login, and the store remembers the account', async () => {
    const { tokens, open, store, end, pass, used } = await setUp()
    end()
    await pass(60 * minute)
    expect(await refusal(tokens.accessToken())).toMatchObject({ code: 'unauthenticated', next: login })
    expect(await store.read(key)).toMatchObject({ account: { account: 'Ada' }, scopes: ['read'] })
    expect(await store.read(key)).not.toHaveProperty('tokens')
    for (const each of [tokens, open()]) {
      expect(await refusal(each.accessToken())).toMatchObject({ code: 'unauthenticated', next: login })
      expect(await refusal(each.replaceToken(tokensNamed('first').accessToken))).toMatchObject({ code: 'unauthenticated', next: login })
    }
    expect(used).toHaveLength(1)
  })

  it('is asked to sign in again when a refused token has no refresh token', async () => {
    const { accessToken } = tokensNamed('first')
    const { tokens } = await setUp(loginWith({ tokens: { accessToken } }))
    expect(await refusal(tokens.replaceToken(accessToken))).toMatchObject({ code: 'unauthenticated', next: login })
  })

  it('is asked to sign in again at the end of a token without a refresh token, and no earlier', async () => {
    const { accessToken, expiry } = tokensNamed('first')
    const { tokens, pass } = await setUp(loginWith({ tokens: { accessToken, expiry } }))
    await pass(60 * minute - 1)
    expect((await tokens.accessToken()).reveal()).toBe('access-first')
    await pass(1)
    expect(await refusal(tokens.accessToken())).toMatchObject({ code: 'unauthenticated', next: login })
  })

  it('gets the command when the provider no longer accepts the application', async () => {
    const { tokens, pass, storedTokens } = await setUp(loginWith(), () =>
      Promise.reject(new Unauthenticated('Acme does not know the client id.')),
    )
    await pass(60 * minute)
    const error = await refusal(tokens.accessToken())
    expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login })
    expect(error.message).toMatch(/^The login could not be refreshed: Acme does not know the client id\. Ask the person/)
    expect((await storedTokens())?.refreshToken?.reveal()).toBe('refresh-first')
  })

  it('cannot use a login at an address that it was not made for', async () => {
    const { open } = await setUp()
    const error = await refusal(open('https://evil.example/v1').accessToken())
    expect(error).toMatchObject({ code: 'unauthenticated', next: login })
    expect(error.message).toContain('https://api.acme.example/v1')
    expect((await open('https://acme.example/other').accessToken()).reveal()).toBe('access-first')
  })
})

describe('a store that cannot be written', () => {
  it.runIf(process.platform !== 'win32')('costs no refresh token when the lock cannot be taken', async () => {
    const { tokens, directory, pass, used } = await setUp()
    await pass(60 * minute)
    await rm(path.join(directory, 'accounts', 'tracker.default.lock'), { force: true })
    // A directory instead of the lock file stops even root.
    await mkdir(path.join(directory, 'accounts', 'tracker.default.lock'))
    expect(await refusal(tokens.accessToken())).toMatchObject({ code: 'unavailable', retryable: false })
    expect(used).toEqual([])
  })

  const block = async (directory: string) => {
    const lock = path.join(directory, 'accounts', 'credentials.lock')
    await rm(lock, { force: true })
    await mkdir(lock)
    return async () => rm(lock, { recursive: true })
  }

  it('loses no tokens while the process lives, and is reported once for each refresh', async () => {
    const { tokens, directory, pass, used, storeFailures, storedTokens } = await setUp()
    const unblock = await block(directory)
    await pass(60 * minute)
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
    expect(storeFailures).toEqual(['ERR_SQLITE_ERROR'])
    await pass(60 * minute)
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-2')
    expect(used).toEqual(['refresh-first', 'refresh-renewed-1'])
    await tokens.idle()
    expect(storeFailures).toHaveLength(2)
    await unblock()
    await pass(60 * minute)
    expect((await tokens.accessToken()).reveal()).toBe('access-renewed-3')
    expect((await storedTokens())?.accessToken.reveal()).toBe('access-renewed-3')
  })

  it.each(['the next call', 'the end'])('receives the tokens with %s once it can be written', async (when) => {
    const { tokens, directory, pass, storedTokens } = await setUp()
    const unblock = await block(directory)
    await pass(60 * minute)
    await tokens.accessToken()
    await tokens.idle()
    await unblock()
    if (when === 'the end') await tokens.idle()
    else expect((await tokens.accessToken()).reveal()).toBe('access-renewed-1')
    await expect.poll(async () => (await storedTokens())?.accessToken.reveal()).toBe('access-renewed-1')
  })

  it('keeps what a login or a logout has written meanwhile', async () => {
    for (const theirs of [loginWith({ tokens: tokensNamed('again') }), undefined]) {
      const { tokens, directory, store, pass, storedTokens } = await setUp()
      const unblock = await block(directory)
      await pass(60 * minute)
      await tokens.accessToken()
      await unblock()
      await store.write(key, theirs)
      await tokens.idle()
      expect((await storedTokens())?.accessToken.reveal()).toBe(theirs?.tokens?.accessToken.reveal())
    }
  })
})
