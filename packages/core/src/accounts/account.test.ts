import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ToolError, Unauthenticated, Unavailable } from '../errors.ts'
import { openAccount } from './account.ts'
import { credentialFile } from './credential-file.ts'
import type { Login } from './login.ts'
import { strictIssuer } from './test/strict-issuer.ts'
import { loginWith, minute, noon, place, tokensNamed } from './test/logins.ts'
import { temporaryDirectory } from './test/temporary-directory.ts'

const url = 'https://api.acme.example/v1'

/** Accounts on one file, at a time that can be set. */
async function signedUp(login: Login = loginWith(), before?: () => Promise<void>) {
  const unstored: string[] = []
  const directory = await temporaryDirectory()
  const file = credentialFile(directory)
  await file.write(place, login)
  let time = noon
  const provider = strictIssuer({ now: () => time, ...(before && { before }) })
  const open = (to = url) =>
    openAccount({
      file: credentialFile(directory),
      place,
      url: to,
      issuer: () => provider.issuer,
      vendor: 'Acme',
      command: 'acme login',
      onUnstored: (reason) => unstored.push(reason),
      now: () => time,
    })
  return {
    ...provider,
    unstored,
    file,
    directory,
    open,
    account: open(),
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
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
  it('is used as it is until a minute before its end, and then renewed once', async () => {
    const { account, pass, used, file } = await signedUp()
    pass(59 * minute - 1)
    expect((await account.token()).reveal()).toBe('access-first')
    pass(1)
    expect((await account.token()).reveal()).toBe('access-renewed-1')
    expect((await account.token()).reveal()).toBe('access-renewed-1')
    expect(used).toEqual(['refresh-first'])
    expect(file.read(place)?.tokens?.refreshToken?.reveal()).toBe('refresh-renewed-1')
  })

  it('whose end nobody knows is used until it is refused', async () => {
    const { accessToken, refreshToken } = tokensNamed('first')
    const { account, pass } = await signedUp(loginWith({ tokens: { accessToken, refreshToken } }))
    pass(1000 * minute)
    expect((await account.token()).reveal()).toBe('access-first')
    expect((await account.tokenAfter(accessToken)).reveal()).toBe('access-renewed-1')
  })

  it('is renewed once for all who ask at once, in one process and in several', async () => {
    const { open, pass, used } = await signedUp()
    pass(60 * minute)
    const accounts = Array.from({ length: 10 }, () => open())
    const tokens = await Promise.all(accounts.flatMap((account) => [account.token(), account.token()]))
    expect(new Set(tokens.map((token) => token.reveal()))).toEqual(new Set(['access-renewed-1']))
    expect(used).toEqual(['refresh-first'])
  })

  it('that was refused is replaced once, by whoever comes first', async () => {
    const { open, used } = await signedUp()
    const accounts = Array.from({ length: 5 }, () => open())
    const { accessToken } = tokensNamed('first')
    const tokens = await Promise.all(accounts.flatMap((account) => [account.tokenAfter(accessToken), account.tokenAfter(accessToken)]))
    expect(new Set(tokens.map((token) => token.reveal()))).toEqual(new Set(['access-renewed-1']))
    expect(used).toEqual(['refresh-first'])
  })

  it('never has a refresh token used twice, however often and by however many it is refused', async () => {
    const { open, used } = await signedUp()
    const accounts = Array.from({ length: 4 }, () => open())
    for (let round = 0; round < 5; round += 1) {
      const refused = await Promise.all(accounts.map((account) => account.token()))
      await Promise.all(accounts.map((account, index) => account.tokenAfter(refused[index] ?? tokensNamed('none').accessToken)))
    }
    expect(used).toHaveLength(5)
    expect(new Set(used).size).toBe(5)
  })

  it('is still used when it cannot be renewed for the moment, until its end', async () => {
    let asked = 0
    const away = () => {
      asked += 1
      return Promise.reject(new Unavailable('Acme is away.'))
    }
    const { account, pass } = await signedUp(loginWith(), away)
    pass(59 * minute)
    for (let call = 0; call < 3; call += 1) expect((await account.token()).reveal()).toBe('access-first')
    // Not with every call.
    expect(asked).toBe(1)
    pass(10_000)
    expect((await account.token()).reveal()).toBe('access-first')
    expect(asked).toBe(2)
    pass(50_000)
    expect(await refusal(account.token())).toMatchObject({ code: 'unavailable', message: 'Acme is away.' })
    expect(asked).toBe(3)
  })

  it('is used in the meantime when the provider is silent, and the renewal goes on', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { account, pass, file } = await signedUp(loginWith(), () => answer.promise)
    pass(59 * minute)
    const given: string[] = []
    const call = async () => {
      const token = await account.token()
      given.push(token.reveal())
    }
    const calls = [call(), call()]
    await expect.poll(() => given, { timeout: 8_000 }).toEqual(['access-first', 'access-first'])
    await call()
    answer.resolve(undefined)
    await Promise.all(calls)
    await account.settled()
    expect(file.read(place)?.tokens?.accessToken.reveal()).toBe('access-renewed-1')
    expect((await account.token()).reveal()).toBe('access-renewed-1')
  })

  it('that was refused is renewed, even if a renewal that others began brings the same one', async () => {
    const { account, file, pass, used } = await signedUp()
    pass(59 * minute)
    const held = Promise.withResolvers<undefined>()
    const holding = file.alone(place, () => held.promise)
    const waiting = account.token()
    // Another process has renewed it, and the vendor has refused what that brought.
    await file.write(place, loginWith({ tokens: tokensNamed('other', noon + 59 * minute) }))
    const refused = account.tokenAfter(tokensNamed('other').accessToken)
    held.resolve(undefined)
    await holding
    expect((await waiting).reveal()).toBe('access-other')
    expect((await refused).reveal()).toBe('access-renewed-1')
    expect(used).toEqual(['refresh-other'])
  })

  it('is the one of a person who has signed in again meanwhile', async () => {
    const { account, file, used } = await signedUp()
    expect((await account.token()).reveal()).toBe('access-first')
    await file.write(place, loginWith({ tokens: tokensNamed('again') }))
    expect((await account.token()).reveal()).toBe('access-again')
    expect((await account.tokenAfter(tokensNamed('first').accessToken)).reveal()).toBe('access-again')
    expect(used).toEqual([])
  })
})

describe('a caller that gives up', () => {
  it('stops waiting, and the renewal goes on and is stored', async () => {
    const answer = Promise.withResolvers<undefined>()
    const { account, pass, file } = await signedUp(loginWith(), () => answer.promise)
    pass(60 * minute)
    const caller = new AbortController()
    const waiting = account.token(caller.signal)
    const given = waiting.catch((error: unknown) => error)
    caller.abort(new DOMException('Enough.', 'AbortError'))
    expect(await given).toMatchObject({ message: 'Enough.' })
    answer.resolve(undefined)
    await account.settled()
    expect(file.read(place)?.tokens?.accessToken.reveal()).toBe('access-renewed-1')
  })
})

describe('a person', () => {
  const login = { command: 'acme login' }

  it('is asked to sign in when nobody is, or no longer', async () => {
    const { account, file } = await signedUp()
    await file.write(place, undefined)
    const error = await refusal(account.token())
    expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login })
    expect(error.message).toContain('Nobody is signed in to Acme')
    await file.write(place, loginWith({ tokens: tokensNamed('again') }))
    expect((await account.token()).reveal()).toBe('access-again')
  })

  it('is asked to sign in again when the provider has ended the login, and the server still knows that it had one', async () => {
    const { account, open, file, end, pass, used } = await signedUp()
    end()
    pass(60 * minute)
    expect(await refusal(account.token())).toMatchObject({ code: 'unauthenticated', next: login })
    expect(file.read(place)).toMatchObject({ identity: { account: 'Ada' }, scopes: ['read'] })
    expect(file.read(place)).not.toHaveProperty('tokens')
    for (const each of [account, open()]) {
      expect(await refusal(each.token())).toMatchObject({ code: 'unauthenticated', next: login })
      expect(await refusal(each.tokenAfter(tokensNamed('first').accessToken))).toMatchObject({ code: 'unauthenticated', next: login })
    }
    expect(used).toHaveLength(1)
  })

  it('is asked to sign in again when nothing renews what was refused', async () => {
    const { accessToken } = tokensNamed('first')
    const { account } = await signedUp(loginWith({ tokens: { accessToken } }))
    expect(await refusal(account.tokenAfter(accessToken))).toMatchObject({ code: 'unauthenticated', next: login })
  })

  it('is told the command, too, when the provider no longer takes the application', async () => {
    const { account, pass, file } = await signedUp(loginWith(), () =>
      Promise.reject(new Unauthenticated('Acme does not know the client id.')),
    )
    pass(60 * minute)
    const error = await refusal(account.token())
    expect(error).toMatchObject({ code: 'unauthenticated', retryable: false, next: login })
    expect(error.message).toMatch(/^The login could not be renewed: Acme does not know the client id\. Ask the person/)
    expect(file.read(place)?.tokens?.refreshToken?.reveal()).toBe('refresh-first')
  })

  it('keeps a login to the addresses that it was made for', async () => {
    const { open } = await signedUp()
    const error = await refusal(open('https://evil.example/v1').token())
    expect(error).toMatchObject({ code: 'unauthenticated', next: login })
    expect(error.message).toContain('https://api.acme.example/v1')
    expect((await open('https://acme.example/other').token()).reveal()).toBe('access-first')
  })
})

describe('a file that cannot be written', () => {
  it.runIf(process.platform !== 'win32')('costs no refresh token when that shows before', async () => {
    const { account, directory, pass, used } = await signedUp()
    pass(60 * minute)
    await rm(path.join(directory, 'accounts', 'tracker.default.lock'), { force: true })
    // A directory in the place of the lock stops root, too.
    await mkdir(path.join(directory, 'accounts', 'tracker.default.lock'))
    expect(await refusal(account.token())).toMatchObject({ code: 'unavailable', retryable: false })
    expect(used).toEqual([])
  })

  const blocked = async (directory: string) => {
    const lock = path.join(directory, 'accounts', 'credentials.lock')
    await rm(lock, { force: true })
    await mkdir(lock)
    return async () => rm(lock, { recursive: true })
  }

  it('loses no tokens as long as the process lives, and says so once for each', async () => {
    const { account, directory, file, pass, used, unstored } = await signedUp()
    const mend = await blocked(directory)
    pass(60 * minute)
    expect((await account.token()).reveal()).toBe('access-renewed-1')
    expect((await account.token()).reveal()).toBe('access-renewed-1')
    expect(unstored).toEqual(['ERR_SQLITE_ERROR'])
    pass(60 * minute)
    expect((await account.token()).reveal()).toBe('access-renewed-2')
    expect(used).toEqual(['refresh-first', 'refresh-renewed-1'])
    await account.settled()
    expect(unstored).toHaveLength(2)
    await mend()
    pass(60 * minute)
    expect((await account.token()).reveal()).toBe('access-renewed-3')
    expect(file.read(place)?.tokens?.accessToken.reveal()).toBe('access-renewed-3')
  })

  it.each(['the next call', 'the end'])('has the tokens with %s, once it can be', async (when) => {
    const { account, directory, file, pass } = await signedUp()
    const mend = await blocked(directory)
    pass(60 * minute)
    await account.token()
    await account.settled()
    await mend()
    if (when === 'the end') await account.settled()
    else expect((await account.token()).reveal()).toBe('access-renewed-1')
    await expect.poll(() => file.read(place)?.tokens?.accessToken.reveal()).toBe('access-renewed-1')
  })

  it('is left to whoever signs in or out meanwhile', async () => {
    for (const theirs of [loginWith({ tokens: tokensNamed('again') }), undefined]) {
      const { account, directory, file, pass } = await signedUp()
      const mend = await blocked(directory)
      pass(60 * minute)
      await account.token()
      await mend()
      await file.write(place, theirs)
      await account.settled()
      expect(file.read(place)?.tokens?.accessToken.reveal()).toBe(theirs?.tokens?.accessToken.reveal())
    }
  })
})
