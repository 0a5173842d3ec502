// The tasks' vendors, where one task at a time is played, from the wish to the verdict.
import type { Client } from '@modelcontextprotocol/client'
import { judge, type Change, type Verdict } from './judge.ts'
import { type RunningServer, type Servers, startServer } from './servers.ts'
import type { Task, Vendor } from './task.ts'
import { openToolbox, type Toolbox } from './tools.ts'
import { openWorld, type World } from './worlds/index.ts'

/** A task that has begun. */
export interface Session extends AsyncDisposable {
  readonly toolbox: Toolbox
  readonly worlds: readonly World[]
  /** Number of the servers' requests to their vendors. */
  readonly requests: () => number
  readonly changes: () => Promise<readonly Change[]>
  /** Judges the present state and the agent's last message. */
  readonly verdict: (answer: string) => Promise<Verdict>
}

export interface Vendors extends AsyncDisposable {
  /** Restores a task's vendors, and starts its servers. */
  readonly begin: (task: Task, servers: Servers) => Promise<Session>
}

export interface VendorOptions {
  /** True to use one server for all tasks of a vendor, which saves time; otherwise, each task gets a fresh server. */
  readonly keepsServers?: boolean
}

/** Opens each vendor when the first task needs it. */
export function openVendors({ keepsServers = false }: VendorOptions = {}): Vendors {
  const opened = new Map<Vendor, Promise<World>>()
  const kept = new Map<Vendor, RunningServer>()
  const worldOf = (vendor: Vendor): Promise<World> => {
    const world = opened.get(vendor) ?? openWorld[vendor]()
    opened.set(vendor, world)
    return world
  }
  return {
    async begin(task, servers) {
      const worlds = await Promise.all(task.vendors.map(worldOf))
      // Node before 24 has no `AsyncDisposableStack`.
      const own: RunningServer[] = []
      const end = async () => {
        for (const server of own.splice(0)) await server[Symbol.asyncDispose]()
      }
      const start = async (world: World): Promise<Client> => {
        world.begin(task)
        const command = servers[world.vendor]
        if (!command) throw new Error(`There is no server for ${world.vendor}.`)
        const server = kept.get(world.vendor) ?? (await startServer(command, world))
        if (keepsServers) kept.set(world.vendor, server)
        else own.push(server)
        return server.client
      }
      try {
        const clients: Client[] = []
        for (const world of worlds) clients.push(await start(world))
        const toolbox = await openToolbox(clients)
        const changes = async () => (await Promise.all(worlds.map((world) => world.changes()))).flat()
        return {
          ...{ toolbox, worlds, changes },
          requests: () => worlds.reduce((sum, world) => sum + world.requests(), 0),
          verdict: async (answer) => judge(task, await changes(), answer),
          [Symbol.asyncDispose]: end,
        }
      } catch (error) {
        await end()
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of kept.values()) await server[Symbol.asyncDispose]()
      for (const world of opened.values()) await (await world)[Symbol.asyncDispose]()
    },
  }
}
