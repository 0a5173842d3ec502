import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { ConnectLinks, ConnectOutcome, ConnectRequest } from '../../../server/src/mcp/connect-links.ts'
import { type Caller, type Clock, type PeopleState, systemClock } from '@mcp-toolkits/core/base'
import { openPeopleFile } from '../../src/vault/people-file.ts'
import { expect, onTestFinished } from 'vitest'
import type { Audit } from '../../src/audit-log.ts'
import type { ServerDefinition, Settings } from '../../../server/src/mcp/definition.ts'
import { entryLog, type LogEntry } from '../../../server/src/mcp/log.ts'
import { newDirectory } from '../../../server/test/bookshelf.ts'
import type { CallOptions, Toolbox } from '../../../server/src/mcp/calls/toolbox.ts'
import { openPeopleToolbox } from '../../src/accounts/people-toolbox.ts'

/** Matches a string that contains this text. */
export const containing = (text: string): unknown => expect.stringContaining(text)

/** Links whose outcomes a test sets. */
export class TestLinks implements ConnectLinks {
  readonly requests: ConnectRequest[] = []
  /** Number of calls that waited for their person. */
  waits = 0
  readonly #outcomes = new Map<string, ReturnType<typeof Promise.withResolvers<ConnectOutcome>>>()

  readonly create: ConnectLinks['create'] = (request) => {
    const id = `link-${this.requests.push(request)}`
    this.#outcomes.set(id, Promise.withResolvers())
    return Promise.resolve({ id, url: `https://diary.example/connect/secret-${id}`, expiresAt: 0 })
  }

  readonly waitFor: ConnectLinks['waitFor'] = async (id, signal) => {
    this.waits += 1
    const { promise, resolve } = Promise.withResolvers<undefined>()
    signal.addEventListener('abort', () => {
      resolve(undefined)
    })
    return Promise.race([this.#outcomes.get(id)?.promise, promise])
  }

  end(id: string, outcome: ConnectOutcome): void {
    this.#outcomes.get(id)?.resolve(outcome)
  }
}

export interface PeopleOffice {
  /** The people, as seen by a process that also has a different vault key. */
  readonly openWithOtherKey: () => Promise<PeopleState>
  readonly state: PeopleState
  readonly dataDirectory: string
  readonly links: TestLinks
  readonly toolbox: Toolbox
  readonly log: readonly LogEntry[]
  readonly caller: (subject: string, more?: Partial<Caller>) => Caller
  /** Stores a grant, as if the person had connected an account. */
  readonly grant: (caller: Caller, grant: string | undefined) => Promise<void>
  readonly call: (caller: Caller, tool: string, args?: object, options?: Partial<CallOptions>) => ReturnType<Toolbox['invoke']>
}

export interface OfficeOptions {
  readonly clock?: Clock
  readonly settings?: Partial<Settings>
  readonly maxConnections?: number
  readonly audit?: Audit
}

/** A server for many people, with real state, that ends with the test. */
export async function openOffice<Context>(
  definition: ServerDefinition<Context>,
  { clock = systemClock, settings, maxConnections, audit }: OfficeOptions = {},
): Promise<PeopleOffice> {
  const dataDirectory = await newDirectory()
  const keys = [{ id: 'test', bytes: randomBytes(32) }]
  const openState = async (keysOfProcess: typeof keys) => {
    const opened = await openPeopleFile({ file: path.join(dataDirectory, 'team.db'), keys: keysOfProcess, clock: systemClock })
    onTestFinished(opened.close)
    return opened
  }
  const state = await openState(keys)
  const links = new TestLinks()
  const log: LogEntry[] = []
  const all: Settings = { embedded: false, readOnly: false, toolNames: 'safe', environment: {}, ...settings, dataDirectory }
  const toolbox = openPeopleToolbox(definition, all, {
    state,
    links,
    clock,
    audit,
    log: entryLog('debug', (entry) => log.push(entry)),
    ...(maxConnections !== undefined && { maxConnections }),
  })
  onTestFinished(toolbox.close)
  const caller: PeopleOffice['caller'] = (subject, more) => {
    const person = { issuer: 'https://company.example', subject }
    const owner = state.people.ownerOf(person)
    return { ...person, owner, clientId: 'client', permissions: ['read', 'write', 'delete'], profile: 'default', ...more }
  }
  return {
    state,
    dataDirectory,
    links,
    toolbox,
    log,
    caller,
    openWithOtherKey: () => openState([{ id: 'other', bytes: randomBytes(32) }, ...keys]),
    async grant(person, grant) {
      await state.people.remember(person)
      await state.people.grants.write(person, grant)
    },
    call(person, tool, args = {}, options = {}) {
      const listed = toolbox.listing.find(`${definition.prefix}_${tool}`)
      if (!listed) throw new Error(`${tool} is not listed.`)
      return toolbox.invoke(listed, args, { signal: new AbortController().signal, caller: person, ...options })
    },
  }
}
