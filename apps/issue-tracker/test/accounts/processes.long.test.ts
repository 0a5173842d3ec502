import path from 'node:path'
import { startCaller as callerOf, successLine, runCallers } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { containing, setUpAccount, type AccountSetup } from './setup.ts'

const program = path.join(import.meta.dirname, 'caller.ts')

/** A server in a separate process, ready to make calls. */
function caller({ dataDirectory, url }: AccountSetup, more: Readonly<Record<string, string>> = {}) {
  return callerOf(program, { DATA_DIRECTORY: dataDirectory, ISSUE_TRACKER_API_URL: `${url}/graphql`, ...more })
}

test.each(['it is about to expire', 'it is refused'])(
  'processes refresh a token only once when %s, and all calls succeed',
  async (when) => {
    const person = await setUpAccount({ lifetimes: { refreshGrace: 0 } })
    await person.login()
    const before = await person.requests('/oauth/token')
    const done = await runCallers(
      () => caller(person),
      async () => {
        if (when === 'it is refused') person.pass(86_400_000)
        else await person.expireToken()
      },
    )
    expect(done).toEqual({ answers: [successLine], errors: '' })
    expect(await person.requests('/oauth/token')).toBe(before + 1)
    expect(person.issued()).toEqual([2])
  },
)

test.each([
  ['that accepts a refresh token once, the person has to sign in again', 0],
  ['with a grace period, the next process goes on', 1800],
] as const)('when a process is killed between refreshing and storing, at a provider %s', async (_, refreshGrace) => {
  const person = await setUpAccount({ lifetimes: { refreshGrace } })
  await person.login()
  const stored = await person.stored()
  await person.expireToken()
  const victim = await caller(person, { LOSE: '1' })
  victim.writeLine('go')
  await victim.waitForLine(/^renewed$/)
  victim.kill('SIGKILL')
  await victim.result
  expect(await person.stored()).toMatchObject({ access_token: stored.access_token, refresh_token: stored.refresh_token })

  const next = await caller(person)
  next.writeLine('go')
  const answer: unknown = JSON.parse(await next.waitForLine(/^\{/))
  if (refreshGrace === 0) {
    expect(answer).toMatchObject({ failed: true, content: [{ text: containing('"code":"unauthenticated"') }] })
    expect(answer).toMatchObject({ content: [{ text: containing('"command":"issue-tracker-mcp login"') }] })
    expect((await person.login()).code).toBe(0)
  } else expect(answer).toEqual({ failed: false, content: [] })
  const last = await caller(person)
  last.writeLine('go')
  expect(await last.waitForLine(/^\{/)).toBe(successLine)
})

test('status reports what it knows when Linear is unreachable', async () => {
  const { login: signIn, command, emulator } = await setUpAccount()
  await signIn()
  await emulator.close()
  const { code, output } = await command(['status'])
  expect(code).toBe(1)
  for (const said of ['account: Robin Vance', 'scopes: read, write', 'token expires at: 20', 'problem: Linear']) {
    expect(output).toContain(said)
  }
})
