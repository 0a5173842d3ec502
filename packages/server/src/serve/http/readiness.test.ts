import { Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { StoreError } from '@mcp-toolkits/sqlite'
import { describe, expect, it } from 'vitest'
import { jsonLog } from '../../mcp/log.ts'
import { Readiness } from './readiness.ts'

/** The readiness of a server whose store is checked by `check`. */
function setUp(check: () => Promise<void>) {
  const clock = new ManualClock()
  let checks = 0
  const counted = () => {
    checks += 1
    return check()
  }
  const lines: string[] = []
  const log = jsonLog('info', (line) => lines.push(line))
  return { clock, readiness: new Readiness({ check: counted, log, clock }), checks: () => checks, logged: () => lines.join('') }
}

describe('readiness', () => {
  it('needs no store', async () => {
    const readiness = new Readiness({ log: jsonLog('silent', () => undefined), clock: new ManualClock() })
    expect(await readiness.answer()).toEqual({ status: 200, body: { status: 'ready' } })
    readiness.end()
    expect(await readiness.answer()).toMatchObject({ status: 503, body: { status: 'draining' } })
  })

  it('is checked once for all who ask within half a second', async () => {
    const { clock, readiness, checks } = setUp(() => Promise.resolve())
    const answers = await Promise.all([readiness.answer(), readiness.answer()])
    await clock.advance(499)
    expect([...answers, await readiness.answer()].map(({ status }) => status)).toEqual([200, 200, 200])
    expect(checks()).toBe(1)
    await clock.advance(1)
    await readiness.answer()
    expect(checks()).toBe(2)
  })

  it('tells everyone what is wrong, and only the log where the store is', async () => {
    const problem = new StoreError('unreachable', 'postgres://db/x', 'The database postgres://db/x cannot be reached.')
    let isDown = true
    const { clock, readiness, logged } = setUp(() => (isDown ? Promise.reject(problem) : Promise.resolve()))
    expect(await readiness.answer()).toEqual({
      status: 503,
      body: { status: 'unavailable', reason: 'The store cannot be used: unreachable.' },
    })
    expect(logged()).toContain('postgres://db/x cannot be reached')
    await clock.advance(500)
    await readiness.answer()
    isDown = false
    await clock.advance(500)
    expect(await readiness.answer()).toMatchObject({ status: 200 })
    expect(logged().match(/"message":"[^"]+/g)).toEqual(['"message":"not ready', '"message":"ready again'])
  })

  it('says what a typed error says, in the log too', async () => {
    const text = 'The identity provider cannot be reached.'
    const { readiness, logged } = setUp(() => Promise.reject(new Unavailable(text)))
    expect(await readiness.answer()).toMatchObject({ status: 503, body: { reason: text } })
    expect(JSON.parse(logged())).toMatchObject({ problem: text })
    expect(logged()).not.toContain('stack')
  })

  it('says nothing of a defect', async () => {
    const { readiness, logged } = setUp(() => Promise.reject(new Error('canary')))
    expect(JSON.stringify(await readiness.answer()) + logged()).not.toContain('canary')
  })

  it('does not wait for a store that does not answer', async () => {
    const { clock, readiness, logged } = setUp(() => Promise.withResolvers<undefined>().promise)
    const answer = readiness.answer()
    await clock.advance(2_000)
    expect(await answer).toMatchObject({ status: 503, body: { reason: 'The store cannot be used: no response in time.' } })
    expect(JSON.parse(logged())).toMatchObject({ message: 'not ready', problem: 'The store did not answer in time.' })
    expect(logged()).not.toContain('stack')
  })
})
