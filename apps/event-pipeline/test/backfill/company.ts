import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type JsonObject, type PeopleState, systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import type { Settings } from '@mcp-toolkits/server'
import { openToolbox, type Toolbox, withToolsets } from '@mcp-toolkits/server/mcp'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import { encodeGrant, openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { openSharedStore } from '@mcp-toolkits/team/postgres'
import { openPeopleFile, readVaultKeys } from '@mcp-toolkits/team/vault'
import { onTestFinished } from 'vitest'
import { eventPipeline } from '../../src/server.ts'
import { parkEvents } from '../../src/team/events-for-keys.ts'
import { acceptingKeys, elapse } from '../pipeline.ts'
import { get } from './rows.ts'

const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }
const links = { create: () => Promise.reject(new Error('All have keys.')), waitFor: () => Promise.resolve('done' as const) }
const minute = 60_000
const chosen = { toolsets: ['backfill'] }

export const keyOf = (subject: string) => `key-of-${subject}`

/** The store that a company's servers share. */
interface Office {
  readonly dataDirectory: string
  readonly open: () => Promise<{ readonly state: PeopleState; readonly shared?: SharedStore; readonly die: () => Promise<void> }>
}

/** An office on one machine, with a directory. */
export async function localOffice(): Promise<Office> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'people-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const keys = [{ id: 'test', bytes: randomBytes(32) }]
  return {
    dataDirectory,
    async open() {
      const state = await openPeopleFile({ file: path.join(dataDirectory, 'team.db'), keys, clock: systemClock })
      onTestFinished(state.close)
      return { state, die: () => Promise.resolve() }
    },
  }
}

/** An office of replicas on a database. */
export function replicatedOffice(url: string): Office {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  const keys = readVaultKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)
  return {
    dataDirectory: '/nonexistent',
    async open() {
      const shared = await openSharedStore({ url, schema, keys, clock: systemClock })
      onTestFinished(() => shared.close())
      return { state: shared, shared, die: () => shared.replica.close() }
    },
  }
}

/** People who each have a source at Customer.io or who share the key of one source, and the servers that they use. */
export async function startCompany(
  subjects: readonly string[],
  { dataDirectory, open }: Office,
  { sharedBy }: { readonly sharedBy?: string } = {},
) {
  const sources = sharedBy === undefined ? subjects : [sharedBy]
  const emulator = pipelinesEmulator({ seed: 'empty', sources: Object.fromEntries(sources.map((source) => [source, keyOf(source)])) })
  onTestFinished(() => emulator.close())
  // Hooks that a test sets: `before` runs before a request is accepted, `after` before the response is sent.
  const vendor: { before: () => Promise<void> | void; after: () => Promise<void> | void } = {
    before: () => undefined,
    after: () => undefined,
  }
  const fetch: Fetch = acceptingKeys(async (input, init) => {
    await vendor.before()
    const response = await emulator.fetch(input, init)
    await vendor.after()
    return response
  })
  const definition = await withToolsets(eventPipeline, chosen)
  const settings: Settings = { ...chosen, embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: {} }
  let days = 0
  const start = async () => {
    const { state, shared, die } = await open()
    const clock = new ManualClock({ skipSleeps: false })
    // Each server starts on a later day, so that its files are newer than those of the servers before it.
    await clock.advance(24 * 60 * minute * (days += 1))
    const hooks = { ...(shared && { shared }), log, clock, fetch }
    const environment = sharedBy === undefined ? {} : { EVENT_PIPELINE_API_KEY: keyOf(sharedBy) }
    const own = sharedBy === undefined ? openPeopleToolbox(definition, settings, { state, links, ...hooks }) : undefined
    const shares = { ...settings, environment, servesPeople: true }
    const toolbox: Toolbox = own ?? openToolbox(definition, shares, { records: state.records, ...hooks })
    onTestFinished(toolbox.close)
    await toolbox.resume()
    const callerOf = (subject: string) => {
      const person = { issuer: 'https://company.example', subject }
      const account = { owner: state.people.ownerOf(person), profile: 'default' }
      return { ...person, ...account, clientId: 'test', permissions: ['read', 'write', 'delete'] } as const
    }
    const enter = async (subject: string, key: string = keyOf(subject)) => {
      const caller = callerOf(subject)
      await state.people.remember(caller)
      await state.people.grants.write(caller, encodeGrant({ kind: 'key', key: new Secret(key), account: {} }))
      return own?.onGrantChange(caller)
    }
    for (const subject of subjects)
      if (sharedBy === undefined && (await state.people.grants.read(callerOf(subject))) === undefined) await enter(subject)
    const server = {
      clock,
      die,
      enter,
      /** Deletes everything stored about a person, as the command does. */
      forget: (subject: string) => parkEvents(settings, callerOf(subject).owner, shared),
      close: () => toolbox.close(),
      /** The result of a call, or its error. */
      call: async (subject: string, name: string, args: JsonObject = {}): Promise<JsonObject> => {
        const tool = toolbox.listing.find(name)
        if (!tool) throw new Error('The tool is listed.')
        const answering = toolbox.invoke(tool, args, {
          ...{ signal: new AbortController().signal, caller: callerOf(subject) },
          // As for a call from a host.
          patienceMs: 45_000,
        })
        const answer = await elapse(clock, answering)
        return answer.ok ? answer.data : { error: answer.error }
      },
    }
    return {
      ...server,
      /** The newest backfill of a person once it has ended. */
      ended: async (subject: string): Promise<JsonObject> => {
        for (let looks = 0; looks < 500; looks += 1) {
          const backfill = await server.call(subject, get)
          if (backfill['outcome'] !== 'reading' && backfill['outcome'] !== 'queued') return backfill
          await elapse(clock, clock.sleep(minute), 10_000)
        }
        throw new Error('The backfill does not end.')
      },
    }
  }
  /** The people of the events that a source has accepted. */
  const sent = (subject: string) =>
    emulator.store.events().flatMap(({ outcome, source, user_id: user }) => (outcome === 'accepted' && source === subject ? [user] : []))
  return { vendor, start, sent }
}
