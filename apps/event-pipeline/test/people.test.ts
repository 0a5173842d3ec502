import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Caller, type JsonObject, systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type Backlog, type Fetch, noTelemetry, Secret, type Telemetry } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import type { Settings } from '@mcp-toolkits/server'
import { encodeGrant, openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { openToolbox, type Toolbox, withToolsets } from '@mcp-toolkits/server/mcp'
import { openPeopleFile } from '@mcp-toolkits/team/vault'
import { expect, it, onTestFinished } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, elapse, execution, goodBodies, until } from './pipeline.ts'

type Emulator = ReturnType<typeof pipelinesEmulator>

const minute = 60_000
const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }

/** Customer.io with a source for each person, which a test can remove. */
class Vendor {
  readonly sources = new Map<string, Emulator>()
  isDown = false
  /** True if requests take effect but their responses never arrive. */
  losesAnswers = false
  /** Number of requests that have arrived, whether or not they got a response. */
  requests = 0

  add(key: string): Emulator {
    const source = pipelinesEmulator({ seed: 'empty', apiKey: key })
    onTestFinished(() => source.close())
    this.sources.set(`Basic ${Buffer.from(`${key}:`).toString('base64')}`, source)
    return source
  }

  readonly fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    this.requests += 1
    if (this.isDown) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    const source = this.sources.get(request.headers.get('authorization') ?? '')
    const response = source ? await source.fetch(request) : new Response('Unauthorized', { status: 401 })
    return this.losesAnswers ? new Promise(() => undefined) : response
  }
}

async function open() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'people-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const vendor = new Vendor()
  const clock = new ManualClock({ skipSleeps: false })
  const keys = [{ id: 'test', bytes: randomBytes(32) }]
  const state = await openPeopleFile({ file: path.join(dataDirectory, 'team.db'), keys, clock: systemClock })
  onTestFinished(state.close)
  const settings: Settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: {} }
  const links: string[] = []
  const backlogs = new Set<() => Promise<readonly Backlog[]>>()
  const watchBacklog: Telemetry['watchBacklog'] = (read) => {
    backlogs.add(read)
    return () => backlogs.delete(read)
  }
  const start = () => {
    const toolbox = openPeopleToolbox(eventPipeline, settings, {
      ...{ state, log, clock, fetch: acceptingKeys(vendor.fetch), telemetry: { ...noTelemetry, watchBacklog } },
      links: {
        create: ({ purpose }) => Promise.resolve({ id: '1', url: `https://events.example/connect/${links.push(purpose)}`, expiresAt: 0 }),
        waitFor: () => Promise.resolve('done'),
      },
    })
    onTestFinished(toolbox.close)
    return toolbox
  }
  const caller = (subject: string): Caller => {
    const person = { issuer: 'https://company.example', subject }
    return {
      ...person,
      owner: state.people.ownerOf(person),
      clientId: 'test',
      permissions: ['read', 'write', 'delete'],
      profile: 'default',
    }
  }
  const enterKey = async (person: Caller, key: string) => {
    await state.people.remember(person)
    await state.people.grants.write(person, encodeGrant({ kind: 'key', key: new Secret(key), account: {} }))
  }
  return { vendor, clock, settings, links, backlogs, start, caller, enterKey }
}

interface TrackOptions {
  readonly body?: object
  readonly signal?: AbortSignal
}

async function send(
  toolbox: Toolbox,
  caller: Caller,
  { body = goodBodies.track, signal = new AbortController().signal }: TrackOptions = {},
) {
  const tool = toolbox.listing.find('EventPipelineApi_TrackUserEvent')
  if (!tool) throw new Error('The tool is not listed.')
  return toolbox.invoke(tool, execution(body), { signal, caller })
}

/** Sends an event, and lets time pass until the call returns. */
const track = (toolbox: Toolbox, caller: Caller, clock: ManualClock, options?: TrackOptions) =>
  elapse(clock, send(toolbox, caller, options))

const delivered = { ok: true, data: { outcome: 'delivered' } }
const users = (source: Emulator) => source.store.events().map((event) => event.user_id)

it('sends the events of each person with the key that they have entered', async () => {
  const { vendor, clock, start, caller, enterKey } = await open()
  const [anna, ben] = [caller('anna'), caller('ben')]
  const [ofAnna, ofBen] = [vendor.add('key-of-anna'), vendor.add('key-of-ben')]
  await enterKey(anna, 'key-of-anna')
  await enterKey(ben, 'key-of-ben')
  const toolbox = start()
  for (const person of [anna, ben, anna])
    expect(await track(toolbox, person, clock, { body: { userId: person.subject, event: 'E' } })).toMatchObject(delivered)
  expect([users(ofAnna), users(ofBen)]).toEqual([['anna', 'anna'], ['ben']])
})

it('asks a person without a key to enter one, and uses a different key once it is entered', async () => {
  const { vendor, clock, start, caller, enterKey, links } = await open()
  const anna = caller('anna')
  const [first, second] = [vendor.add('first'), vendor.add('second')]
  const toolbox = start()
  const answer = await track(toolbox, anna, clock)
  expect(answer).toMatchObject({ ok: false, error: { code: 'unauthenticated', next: { url: 'https://events.example/connect/1' } } })
  expect([JSON.stringify(answer).includes('EVENT_PIPELINE'), links, vendor.requests]).toEqual([false, ['key'], 0])
  await enterKey(anna, 'first')
  expect(await track(toolbox, anna, clock)).toMatchObject(delivered)
  await enterKey(anna, 'second')
  expect(await track(toolbox, anna, clock)).toMatchObject(delivered)
  expect([users(first).length, users(second).length]).toEqual([1, 1])
})

it('asks a person whose key the vendor refuses to enter another, and names no command', async () => {
  const { clock, start, caller, enterKey, links } = await open()
  const anna = caller('anna')
  await enterKey(anna, 'revoked')
  const answer = await track(start(), anna, clock)
  expect(answer).toMatchObject({ ok: false, error: { code: 'unauthenticated', next: { url: 'https://events.example/connect/1' } } })
  const message = answer.ok ? '' : answer.error.message
  expect(message).toContain('Ask the person to open the page and enter a different key; then send the event again.')
  expect([/outbox drop|restart|EVENT_PIPELINE/.test(message), links]).toEqual([false, ['key']])
})

it('leaves a key that everyone shares to the operator', async () => {
  const { vendor, clock, settings, caller } = await open()
  const environment = { EVENT_PIPELINE_API_KEY: 'revoked' }
  const toolbox = openToolbox(
    eventPipeline,
    { ...settings, environment, servesPeople: true },
    { log, clock, fetch: acceptingKeys(vendor.fetch) },
  )
  onTestFinished(toolbox.close)
  const answer = await track(toolbox, caller('anna'), clock)
  const message = answer.ok ? '' : answer.error.message
  expect(message).toContain('The operator of this server has to correct its key or address; send the event again when they have.')
  expect(/outbox drop|restart the server|EVENT_PIPELINE_API_KEY/.test(message)).toBe(false)
})

it('never takes one person’s event for a repeat of another’s, even with one key for all', async () => {
  const { vendor, clock, settings, caller } = await open()
  const source = vendor.add('shared-key')
  const environment = { EVENT_PIPELINE_API_KEY: 'shared-key' }
  const toolbox = openToolbox(
    eventPipeline,
    { ...settings, environment, servesPeople: true },
    { log, clock, fetch: acceptingKeys(vendor.fetch) },
  )
  onTestFinished(toolbox.close)
  const [anna, ben] = [caller('anna'), caller('ben')]
  vendor.losesAnswers = true
  const gone = new AbortController()
  const unanswered = expect(send(toolbox, anna, { signal: gone.signal })).rejects.toThrow('gone')
  await until(() => users(source).length === 1)
  gone.abort(new Error('gone'))
  await unanswered
  vendor.losesAnswers = false
  expect(await track(toolbox, ben, clock)).toMatchObject(delivered)
  expect(await track(toolbox, anna, clock)).toMatchObject(delivered)
  expect(source.store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'duplicate'])
})

it('shows events from before events had owners to everyone who shares the key, without the bodies', async () => {
  const { vendor, clock, settings, caller } = await open()
  const definition = await withToolsets(eventPipeline, {})
  const toolbox = openToolbox(
    definition,
    { ...settings, environment: { EVENT_PIPELINE_API_KEY: 'revoked' }, servesPeople: true },
    { log, clock, fetch: acceptingKeys(vendor.fetch) },
  )
  onTestFinished(toolbox.close)
  const call = (name: string, args: JsonObject, person?: Caller) => {
    const tool = toolbox.listing.find(`EventPipelineApi_${name}`)
    if (!tool) throw new Error('The tool is not listed.')
    return elapse(clock, toolbox.invoke(tool, args, { signal: new AbortController().signal, ...(person && { caller: person }) }))
  }
  const [anna, ben] = [caller('anna'), caller('ben')]
  // A call without a caller leaves a row like an earlier version's.
  for (const person of [undefined, ben]) await call('TrackUserEvent', execution(goodBodies.track), person)
  expect(await call('ListWaitingEvents', {}, anna)).toMatchObject({ ok: true, data: { events: [{ id: 1, state: 'parked' }] } })
  const shown = await call('ListWaitingEvents', { id: 1 }, anna)
  expect([shown.ok, JSON.stringify(shown).includes('Order Completed')]).toEqual([true, false])
  expect(await call('DropWaitingEvent', { id: 2 }, anna)).toMatchObject({ ok: false, error: { code: 'not_found' } })
  expect(await call('DropWaitingEvent', { id: 1 }, anna)).toMatchObject({ ok: true, data: { outcome: 'dropped' } })
  expect(await call('ListWaitingEvents', {}, ben)).toMatchObject({ ok: true, data: { events: [{ id: 2 }] } })
})

it('keeps a connection open while its person’s events wait', async () => {
  const { vendor, clock, start, caller, enterKey } = await open()
  const anna = caller('anna')
  const source = vendor.add('key')
  await enterKey(anna, 'key')
  const toolbox = start()
  vendor.isDown = true
  expect(await track(toolbox, anna, clock)).toMatchObject({ ok: true, data: { outcome: 'queued' } })
  await elapse(clock, clock.sleep(20 * minute), 10_000)
  expect(await toolbox.status()).toMatchObject({ connections: 1 })
  vendor.isDown = false
  await elapse(clock, clock.sleep(6 * minute), 10_000)
  expect(users(source)).toEqual(['u1'])
  await elapse(clock, clock.sleep(20 * minute), 10_000)
  expect(await toolbox.status()).toMatchObject({ connections: 0 })
})

it('keeps a connection open while its person’s request waits for a response', async () => {
  const { vendor, clock, start, caller, enterKey } = await open()
  const anna = caller('anna')
  const source = vendor.add('key')
  await enterKey(anna, 'key')
  const toolbox = start()
  vendor.losesAnswers = true
  expect(await track(toolbox, anna, clock)).toMatchObject({ ok: true, data: { outcome: 'queued' } })
  await elapse(clock, clock.sleep(30 * minute), 10_000)
  expect(await toolbox.status()).toMatchObject({ connections: 1 })
  expect(new Set(source.store.events().map(({ outcome }) => outcome))).toEqual(new Set(['accepted', 'duplicate']))
})

it('measures parked events when no connection is open any more', async () => {
  const { vendor, clock, start, caller, enterKey, backlogs } = await open()
  const [anna, ben] = [caller('anna'), caller('ben')]
  for (const person of [anna, ben]) {
    vendor.add(`key-of-${person.subject}`)
    await enterKey(person, `key-of-${person.subject}`)
  }
  const toolbox = start()
  await track(toolbox, ben, clock)
  vendor.isDown = true
  expect(await track(toolbox, anna, clock)).toMatchObject({ ok: true, data: { outcome: 'queued' } })
  await enterKey(anna, 'another-key')
  await toolbox.onGrantChange(anna)
  await elapse(clock, clock.sleep(20 * minute), 10_000)
  expect([await toolbox.status(), backlogs.size]).toMatchObject([{ connections: 0 }, 1])
  const [read = () => Promise.resolve([])] = backlogs
  expect(await read()).toContainEqual(expect.objectContaining({ state: 'parked', entries: 1 }))
  await toolbox.close()
  expect(backlogs.size).toBe(0)
})

it('sends waiting events after a start, before their person calls again', async () => {
  const { vendor, clock, start, caller, enterKey } = await open()
  const [anna, ben] = [caller('anna'), caller('ben')]
  const [ofAnna, ofBen] = [vendor.add('key-of-anna'), vendor.add('key-of-ben')]
  await enterKey(anna, 'key-of-anna')
  await enterKey(ben, 'key-of-ben')
  const before = start()
  vendor.isDown = true
  await track(before, anna, clock)
  await before.close()
  vendor.isDown = false
  const after = start()
  await after.resume()
  expect(await after.status()).toMatchObject({ connections: 1 })
  await elapse(
    clock,
    until(() => users(ofAnna).length > 0),
    1_000,
  )
  expect([users(ofAnna), users(ofBen)]).toEqual([['u1'], []])
})
