import { randomUUID } from 'node:crypto'
import { systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { encodeGrant, openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import type { Settings } from '@mcp-toolkits/server'
import { text } from '@mcp-toolkits/sqlite'
import { openSharedStore, type PostgresStore } from '@mcp-toolkits/team/postgres'
import { readVaultKeys } from '@mcp-toolkits/team/vault'
import { isFull } from '@mcp-toolkits/testing'
import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { elapse, execution, until } from './pipeline.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const minute = 60_000
const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }
const vaultKeys = readVaultKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
const links = { create: () => expect.unreachable(), waitFor: () => expect.unreachable() }
const settings: Settings = { embedded: false, dataDirectory: '/nonexistent', readOnly: false, toolNames: 'safe', environment: {} }
const keyOf = (subject: string) => `key-of-${subject}`

/** A store whose statements are counted. */
function counted(shared: PostgresStore) {
  const statements = { count: 0 }
  const { database } = shared
  const count = <Args extends unknown[], Result>(run: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      statements.count += 1
      return run(...args)
    }
  }
  const counting = {
    ...database,
    rows: count(database.rows.bind(database)),
    run: count(database.run.bind(database)),
    script: count(database.script.bind(database)),
    reading: { rows: count(database.reading.rows.bind(database.reading)) },
    transaction: count(database.transaction.bind(database)),
  }
  return { statements, shared: { ...shared, database: { ...database, ...counting } } }
}

/** People who each have a source at Customer.io, and the replicas that they use. */
function startCompany(subjects: readonly string[]) {
  const emulator = pipelinesEmulator({ seed: 'empty', sources: Object.fromEntries(subjects.map((subject) => [subject, keyOf(subject)])) })
  onTestFinished(() => emulator.close())
  const vendor = { isDown: false }
  const fetch: Fetch = async (input, init) => {
    if (vendor.isDown) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    return emulator.fetch(input, init)
  }
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const start = async () => {
    const clock = new ManualClock({ skipSleeps: false })
    const opened = await openSharedStore({ url: server.pooledUrl, schema, keys: vaultKeys, clock: systemClock })
    const { statements, shared } = counted(opened)
    const toolbox = openPeopleToolbox(eventPipeline, settings, { state: shared, shared, links, log, clock, fetch })
    onTestFinished(async () => {
      await toolbox.close()
      await opened.close()
    })
    await toolbox.resume()
    const callerOf = (subject: string) => {
      const person = { issuer: 'https://company.example', subject }
      const account = { owner: shared.people.ownerOf(person), profile: 'default' }
      return { ...person, ...account, clientId: 'test', permissions: ['write'] } as const
    }
    return {
      toolbox,
      clock,
      statements,
      /** The states of all entries. */
      states: async () =>
        (await opened.database.rows({ state: text }, 'select state from schema.entries order by id')).map(({ state }) => state),
      /** Makes other replicas see it as dead, although its connections stay open. */
      die: () => opened.replica.close(),
      async enter(subject: string, key: string | undefined = keyOf(subject)) {
        const caller = callerOf(subject)
        await shared.people.remember(caller)
        await shared.people.grants.write(caller, encodeGrant({ kind: 'key', key: new Secret(key), account: {} }))
        return toolbox.onGrantChange(caller)
      },
      async send(subject: string, event = 'E') {
        const tool = toolbox.listing.find('EventPipelineApi_TrackUserEvent')
        if (!tool) throw new Error('The tool is listed.')
        const call = toolbox.invoke(tool, execution({ userId: subject, event }), {
          signal: new AbortController().signal,
          caller: callerOf(subject),
        })
        return elapse(clock, call)
      },
    }
  }
  const sent = () => emulator.store.events().flatMap(({ outcome, source }) => (outcome === 'accepted' ? [source ?? ''] : []))
  return { vendor, start, sent }
}

const queued = { ok: true, data: { outcome: 'queued' } }

it('an idle replica queries the database no more often for many people than for one', async () => {
  const subjects = Array.from({ length: isFull ? 100 : 20 }, (_, index) => `person-${index}`)
  const { start, sent } = startCompany(subjects)
  const counts: number[] = []
  for (const people of [subjects.slice(0, 1), subjects]) {
    const replica = await start()
    for (const subject of people) {
      await replica.enter(subject)
      expect(await replica.send(subject)).toMatchObject({ ok: true, data: { outcome: 'delivered' } })
    }
    expect(await replica.toolbox.status()).toMatchObject({ connections: people.length })
    replica.statements.count = 0
    await elapse(replica.clock, replica.clock.sleep(minute), 1_000)
    counts.push(replica.statements.count)
    await replica.toolbox.close()
  }
  expect(sent().length).toBe(subjects.length + 1)
  const [one = 0, many = 0] = counts
  // A check every two seconds, and every minute a purge and a check for leftover work.
  expect(one).toBeGreaterThanOrEqual(29)
  expect(one).toBeLessThanOrEqual(40)
  expect(Math.abs(many - one)).toBeLessThanOrEqual(3)
})

it('a replica takes over the events of one that dies, each once and with the key of its person', async () => {
  const subjects = ['anna', 'ben', 'carl']
  const { vendor, start, sent } = startCompany(subjects)
  const [dying, other] = [await start(), await start()]
  vendor.isDown = true
  for (const subject of subjects) {
    await dying.enter(subject)
    expect(await dying.send(subject)).toMatchObject(queued)
  }
  await dying.die()
  vendor.isDown = false
  expect(await other.toolbox.status()).toMatchObject({ connections: 0 })
  await elapse(
    other.clock,
    until(async () => (await other.states()).every((state) => state === 'delivered')),
    1_000,
  )
  // The test's clock may have closed a connection that has been idle since, so the sent events show that each person had one.
  expect(sent().toSorted()).toEqual(subjects)
})

it('nothing is sent with a key that was replaced on another replica, but events for the new key are', async () => {
  const { vendor, start, sent } = startCompany(['anna', 'ben'])
  const [first, second] = [await start(), await start()]
  vendor.isDown = true
  for (const subject of ['anna', 'ben']) {
    await first.enter(subject)
    expect(await first.send(subject)).toMatchObject(queued)
  }
  // An event that is being sent is put on hold only when its attempt ends, which takes time.
  const isOnHold = async () => (await second.enter('anna', keyOf('ben')))?.includes('on hold') ?? false
  await elapse(first.clock, until(isOnHold), 1_000)
  expect(await second.send('anna')).toMatchObject(queued)
  vendor.isDown = false
  const isSettled = async () => !(await first.states()).includes('open')
  const clocks = [first.clock, second.clock]
  await Promise.all(clocks.map((clock) => elapse(clock, until(isSettled), 1_000)))
  expect([sent(), await first.states()]).toEqual([
    ['ben', 'ben'],
    ['parked', 'delivered', 'delivered'],
  ])
  expect(await second.enter('anna', keyOf('anna'))).toBeUndefined()
  await elapse(
    second.clock,
    until(() => sent().length === 3),
    1_000,
  )
  expect(sent()).toEqual(['ben', 'ben', 'anna'])
})
