import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { encodeGrant, openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import type { AccountRef } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import type { Settings } from '@mcp-toolkits/server'
import { runCommand } from '@mcp-toolkits/testing'
import { personAt, startPeopleServers, titleOf } from '@mcp-toolkits/testing/people'
import { expect, it, onTestFinished } from 'vitest'
import { connectSteps } from '../src/team/connect-steps.ts'
import { eventPipeline } from '../src/server.ts'
import { elapse, execution, until } from './pipeline.ts'

type Toolbox = ReturnType<typeof openPeopleToolbox>

const minute = 60_000
const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }
const note = 'Unsent requests that use the old key are on hold. They will be sent if you enter it again.'

/** A company whose people enter keys for an emulated Customer.io, which accepts events unless it is down. */
async function startCompany() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'key-ends-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', sources: { first: 'canary-first', second: 'canary-second' } })
  onTestFinished(() => emulator.close())
  const vendor = { isDown: true, requests: 0 }
  const fetch: Fetch = async (input, init) => {
    vendor.requests += 1
    if (vendor.isDown) throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    return emulator.fetch(input, init)
  }
  const clock = new ManualClock({ skipSleeps: false })
  const settings: Settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: {} }
  const toolboxes: Toolbox[] = []
  const company = await startPeopleServers({
    server: { name: 'event-pipeline', title: 'Event Pipeline' },
    steps: connectSteps(settings, { fetch: emulator.fetch }),
    onGrantChange: async (account: AccountRef) => toolboxes[0]?.onGrantChange(account),
  })
  const start = async () => {
    const toolbox = openPeopleToolbox(eventPipeline, settings, { state: company.state, links: company.links, log, clock, fetch })
    onTestFinished(toolbox.close)
    toolboxes.unshift(toolbox)
    await toolbox.resume()
  }
  const stop = async () => toolboxes.shift()?.close()
  const call = (subject: string, event: string) => {
    const [toolbox] = toolboxes
    const tool = toolbox?.listing.find('EventPipelineApi_TrackUserEvent')
    if (!toolbox || !tool) throw new Error('The server runs.')
    const options = { signal: new AbortController().signal, caller: { ...company.callerOf(subject), permissions: ['write'] } as const }
    return toolbox.invoke(tool, execution({ userId: 'u1', event }), options)
  }
  const enter = async (subject: string, key: string) => {
    const person = personAt(company, subject)
    const link = await company.linkFor(subject, { purpose: 'key' })
    const form = await person.walk(link.url, (page) => (page.text.includes('type="password"') ? undefined : person.answer(page)))
    return person.submit(form, { key })
  }
  const end = async (subject: string) => {
    const person = personAt(company, subject)
    const accounts = await person.walk(`${company.url}/accounts`, (each) =>
      each.text.includes('End this') ? undefined : person.answer(each),
    )
    return person.submit(accounts, {})
  }
  /** Makes a call while the vendor is down, so that the event waits. */
  const queue = async (subject: string, event: string) => {
    expect(await elapse(clock, call(subject, event))).toMatchObject({ ok: true, data: { outcome: 'queued' } })
    // By now, the background attempt has ended as well.
    await elapse(clock, clock.sleep(minute), 5_000)
  }
  const command = async (...args: readonly string[]) => {
    const environment = { MCP_TOOLKITS_DATA_DIR: dataDirectory, EVENT_PIPELINE_API_KEY: 'operator-key' }
    return runCommand(eventPipeline, args, environment)
  }
  /** The outbox's content, as the operator sees it. */
  const held = async () => {
    const { output } = await command('outbox', 'list')
    return output.split('\n').flatMap((line) => /^\d+ {2}(waiting|parked \(\w+\))/.exec(line)?.[1] ?? [])
  }
  const sent = () =>
    emulator.store
      .events()
      .flatMap(({ outcome, source, body }) => (outcome === 'accepted' ? [`${/"event":"(.*?)"/.exec(body)?.[1]} of ${source}`] : []))
  const later = () => elapse(clock, clock.sleep(20 * minute), minute)
  await start()
  return { ...company, vendor, clock, start, stop, call, enter, end, queue, command, held, sent, later }
}

it('parks the events waiting for a key that their person replaces, and sends them once that key is entered again', async () => {
  const { vendor, clock, enter, queue, call, held, sent, later } = await startCompany()
  await enter('robin', 'canary-first')
  await queue('robin', 'Old')
  const replaced = await enter('robin', 'canary-second')
  expect([titleOf(replaced), replaced.text.includes(note)]).toEqual(['Connected to Customer.io', true])
  expect(await held()).toEqual(['parked (key_ended)'])
  vendor.isDown = false
  await later()
  await elapse(clock, call('robin', 'New'))
  expect([sent(), await held()]).toEqual([['New of second'], ['parked (key_ended)']])
  const again = await enter('robin', 'canary-first')
  expect(again.text).not.toContain(note)
  await elapse(
    clock,
    until(() => sent().length === 2),
    1_000,
  )
  expect(sent()).toEqual(['New of second', 'Old of first'])
})

it('parks the events waiting for a key that their person ends, but not those of someone else who has entered the same key', async () => {
  const { vendor, enter, end, queue, held, sent, later } = await startCompany()
  for (const person of ['robin', 'ada']) {
    await enter(person, 'canary-first')
    await queue(person, `Of ${person}`)
  }
  const ended = await end('robin')
  expect([titleOf(ended), ended.text.includes(note)]).toEqual(['The connection has ended', true])
  expect(await held()).toEqual(['parked (key_ended)', 'waiting'])
  vendor.isDown = false
  await later()
  expect([sent(), await held()]).toEqual([['Of ada of first'], ['parked (key_ended)']])
})

it('sends nothing with a key that another process has ended, and parks the events waiting for it', async () => {
  const { vendor, state, ownerOf, enter, queue, held, sent, later } = await startCompany()
  await enter('robin', 'canary-first')
  await queue('robin', 'Waiting')
  await state.people.grants.write({ owner: ownerOf('robin'), profile: 'default' }, undefined)
  expect(await held()).toEqual(['waiting'])
  vendor.isDown = false
  await later()
  expect([sent(), await held()]).toEqual([[], ['parked (key_ended)']])
})

it('after a start, parks the events waiting for a key that was replaced meanwhile', async () => {
  const { vendor, state, ownerOf, enter, queue, start, stop, held, sent, later } = await startCompany()
  await enter('robin', 'canary-first')
  await queue('robin', 'Waiting')
  await stop()
  const second = encodeGrant({ kind: 'key', key: new Secret('canary-second'), account: {} })
  await state.people.grants.write({ owner: ownerOf('robin'), profile: 'default' }, second)
  await start()
  expect(await held()).toEqual(['parked (key_ended)'])
  vendor.isDown = false
  await later()
  expect([sent(), await held()]).toEqual([[], ['parked (key_ended)']])
})

it('leaves a person’s event to the servers when the operator retries it', async () => {
  const { vendor, enter, end, queue, command, held, sent, later } = await startCompany()
  await enter('robin', 'canary-first')
  await enter('ada', 'canary-second')
  await queue('robin', 'Ended')
  await queue('ada', 'Waiting')
  await end('robin')
  vendor.isDown = false
  for (const id of ['1', '2']) {
    const { code, output } = await command('outbox', 'retry', id)
    expect([code, output]).toEqual([0, `${id}  scheduled; a running server sends it if the person's API key is still stored\n`])
  }
  await later()
  expect([sent(), await held()]).toEqual([['Waiting of second'], ['parked (key_ended)']])
})

it('sends nothing more with a key that ends during an attempt, and tells the caller', async () => {
  const { vendor, clock, enter, end, call, held, sent, later } = await startCompany()
  await enter('robin', 'canary-first')
  const waiting = call('robin', 'Waiting')
  await until(() => vendor.requests === 1)
  await end('robin')
  vendor.isDown = false
  const answer = await elapse(clock, waiting)
  const message = answer.ok ? '' : answer.error.message
  expect(message).toContain('It is sent if the person enters that key again; otherwise send the event again.')
  expect(message).not.toMatch(/`outbox|EVENT_PIPELINE/)
  await later()
  expect([sent(), await held()]).toEqual([[], ['parked (key_ended)']])
})
