import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { linearEmulator, type LinearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectedServer } from '@mcp-toolkits/testing'
import { issueTracker } from '../src/server.ts'
import { firstMutation } from './storm.ts'

const apiKey = 'lin_api_test'

/** A machine on which servers run as separate processes that share a data directory. */
export interface Machine extends AsyncDisposable {
  readonly emulator: LinearEmulator
  /** Starts a server, whose requests go to the emulator unless `fetch` is given. */
  readonly start: (fetch?: Fetch) => Promise<ConnectedServer>
  /** To servers that start later, the running ones are dead, and left the files that are on disk at this moment. */
  readonly kill: () => Promise<void>
}

export async function machine(): Promise<Machine> {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey })
  const directories = [await mkdtemp(path.join(tmpdir(), 'machine-'))]
  const servers: ConnectedServer[] = []
  const current = () => directories.at(-1) ?? ''
  return {
    emulator,
    async start(fetch = emulator.fetch) {
      const server = await connect(issueTracker, { fetch, environment: { ISSUE_TRACKER_API_KEY: apiKey }, dataDirectory: current() })
      servers.push(server)
      return server
    },
    async kill() {
      // Locks die with their process: in a copy of its files, no lock is held.
      const copy = await mkdtemp(path.join(tmpdir(), 'machine-'))
      await cp(current(), copy, { recursive: true })
      directories.push(copy)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      await emulator.close()
      await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })))
    },
  }
}

/** The first write's fate: it is not sent yet, or Linear carries out only its first mutation, or all of its mutations. */
export type LossPoint = 'before' | 'between' | 'after'

/** A connection to Linear on which the first write gets no response. */
export interface LosingLine {
  readonly fetch: Fetch
  /** Settles when the write is waiting for its response. */
  readonly lost: Promise<void>
  /** Lets the write arrive at Linear late, or a second time if it has already arrived. */
  readonly deliver: () => Promise<void>
}

export function losingLine(fetch: Fetch, point: LossPoint): LosingLine {
  const { promise: lost, resolve } = Promise.withResolvers<undefined>()
  let write: { readonly request: Request; readonly body: string } | undefined
  const send = async (request: Request, body: string) => fetch(new Request(request.url, { method: 'POST', headers: request.headers, body }))
  return {
    lost,
    async fetch(input, init) {
      const request = new Request(input, init)
      const body = await request.clone().text()
      if (write || !body.includes('"mutation ')) return fetch(request)
      write = { request, body }
      if (point === 'between') await send(request, firstMutation(body))
      if (point === 'after') await send(request, body)
      resolve(undefined)
      await once(request.signal, 'abort')
      throw new TypeError('fetch failed')
    },
    async deliver() {
      if (write) await send(write.request, write.body)
    },
  }
}
