import type { Clock, Timer } from '@mcp-toolkits/core/base'
import type { Connection } from '@mcp-toolkits/server'
import { type Log, errorFields } from '@mcp-toolkits/server/mcp'

/** Maximum number of open connections; exceeded only while more calls are running. */
const maxConnections = 1_000

/** Time, in milliseconds, that an unused connection stays open, and interval between checks. */
const idleMs = 15 * 60_000
const lookMs = 60_000

export interface ConnectionsOptions {
  readonly clock: Clock
  readonly log: Log
  readonly max?: number
}

export interface HeldConnection<Context> {
  readonly connection: () => Promise<Connection<Context>>
  /** Call once. */
  readonly release: () => void
}

interface Entry<Context> {
  readonly connection: () => Promise<Connection<Context>>
  /** Present as soon as the connection has been needed. */
  opening: Promise<Connection<Context>> | undefined
  isOpen: boolean
  /** Number of calls using it. */
  uses: number
  /** Monotonic time at which the last call ended. */
  usedAt: number
  /** Monotonic time at which the connection was last found to have work. */
  busyAt: number
}

/** The open connections of many accounts, each opened by the first call that needs it. Unused connections are closed, oldest first. */
export class Connections<Context> {
  readonly #options: ConnectionsOptions
  /** By account, in order of last use. */
  readonly #entries = new Map<string, Entry<Context>>()
  readonly #closing = new Set<Promise<void>>()
  /** Settles when enough unused connections without work have been closed. */
  #makingRoom = Promise.resolve()
  #open = 0
  #looking: Timer | undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  has(account: string): boolean {
    return this.#entries.has(account)
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open
  }

  /** Holds an account's connection, which is opened if needed and stays open until released. */
  hold(account: string, open: () => Promise<Connection<Context>>): HeldConnection<Context> {
    const entry = this.#entries.get(account) ?? this.#create(account, open)
    this.#entries.delete(account)
    this.#entries.set(account, entry)
    entry.uses += 1
    this.#looking ??= this.#look()
    const release = () => {
      entry.uses -= 1
      entry.usedAt = this.#options.clock.monotonic()
      // A connection that could not be opened takes up no room.
      if (entry.uses === 0 && !entry.opening) this.#entries.delete(account)
      this.#closeOldest()
    }
    return { connection: entry.connection, release }
  }

  /** Closes all connections, even those in use. */
  async close(): Promise<void> {
    this.#looking?.cancel()
    for (const [account, entry] of this.#entries) this.#close(account, entry)
    await Promise.all(this.#closing)
  }

  #create(account: string, open: () => Promise<Connection<Context>>): Entry<Context> {
    const start = async () => {
      try {
        const connection = await open()
        this.#open += 1
        entry.isOpen = true
        this.#closeOldest()
        return connection
      } catch (error) {
        entry.opening = undefined
        throw error
      }
    }
    const connection = () => (entry.opening ??= start())
    const entry: Entry<Context> = { connection, opening: undefined, isOpen: false, uses: 0, usedAt: 0, busyAt: -Infinity }
    this.#entries.set(account, entry)
    return entry
  }

  #closeOldest(): void {
    if (this.#hasSurplus) this.#makingRoom = this.#makingRoom.then(() => this.#makeRoom())
  }

  get #hasSurplus(): boolean {
    const { max = maxConnections } = this.#options
    return this.#open > max
  }

  /** Never rejects. A connection with work is not checked again for a while, because otherwise each call would check it. */
  async #makeRoom(): Promise<void> {
    const { clock } = this.#options
    for (const [account, entry] of [...this.#entries]) {
      if (!this.#hasSurplus) return
      const isBusy = clock.monotonic() - entry.busyAt < lookMs
      if (entry.isOpen && entry.uses === 0 && !isBusy) await this.#closeUnlessBusy(account, entry)
    }
  }

  #look(): Timer {
    const { clock } = this.#options
    const timer = clock.timer(lookMs, () => {
      for (const [account, entry] of this.#entries) {
        if (entry.uses === 0 && clock.monotonic() - entry.usedAt >= idleMs) void this.#closeUnlessBusy(account, entry)
      }
      this.#closeOldest()
      timer.restart()
    })
    timer.unref()
    return timer
  }

  /** Never rejects. If checking a connection for work fails, the connection stays open. */
  async #closeUnlessBusy(account: string, entry: Entry<Context>): Promise<void> {
    const connection = await entry.opening?.catch(() => undefined)
    const usedAt = entry.usedAt
    if (connection?.hasWork && (await connection.hasWork().catch(() => true))) {
      entry.busyAt = this.#options.clock.monotonic()
      return
    }
    const isUnused = entry.uses === 0 && entry.usedAt === usedAt
    if (isUnused && this.#entries.get(account) === entry) this.#close(account, entry)
  }

  #close(account: string, entry: Entry<Context>): void {
    this.#entries.delete(account)
    if (entry.isOpen) this.#open -= 1
    entry.isOpen = false
    const closing = (async () => (await entry.opening?.catch(() => undefined))?.close())()
      .catch((error: unknown) => {
        this.#options.log.warn('a connection was not closed', errorFields(error))
      })
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
