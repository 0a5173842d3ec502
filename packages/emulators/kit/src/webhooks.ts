import { setTimeout } from 'node:timers/promises'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import type { PageTable } from './page.ts'
import { insertRow } from './tables.ts'

/** True if notifications may be sent to an address, because it is on this machine or on an allowed host. */
export function isDeliverable(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  const { hostname } = url
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const isNamed = (text: string) => {
    const host = readHost(text)
    return host?.hostname === hostname && (host.port === undefined || host.port === port)
  }
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
  return isHere || hosts.some(isNamed)
}

/** Parses a host with an optional port; undefined for any other text. */
function readHost(text: string): { readonly hostname: string; readonly port: number | undefined } | undefined {
  const [, name = '', port] = /^(\[[\da-f:.]+\]|[^\s/?#@:\\[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const hostname = URL.parse(`http://${name}`)?.hostname ?? ''
  if (!/^(?:\[.+\]|[\w.-]+)$/.test(hostname) || Number(port ?? 0) > 65_535) return undefined
  return { hostname, port: port === undefined ? undefined : Number(port) }
}

/** The mistake in a host for notifications, as a sentence; undefined if the host is valid. The port is optional. */
export const hostProblem = (text: string): string | undefined =>
  readHost(text) === undefined ? `${JSON.stringify(text)} is not a host. Give one such as hooks.example or hooks.example:8443.` : undefined

/** The hosts in a program's options. Throws `TypeError` if one is invalid. */
export function checkHosts(hosts: readonly string[] = []): readonly string[] {
  const problem = hosts.map(hostProblem).find((each) => each !== undefined)
  if (problem !== undefined) throw new TypeError(`webhooksTo: ${problem}`)
  return hosts
}

/** The error for an address on another machine. */
export const undeliverable = (address: string): string =>
  `This emulator sends notifications only to this machine, and ${URL.parse(address)?.host ?? 'the address'} is elsewhere. Use an address such as http://127.0.0.1:8080/hook, or start the emulator with --webhooks-to ${URL.parse(address)?.hostname ?? 'HOST'}.`

/** A notification to a program watching for changes. */
export interface Notification {
  /** The request's target. */
  readonly address: string
  /** The vendor's id of the subscription: a channel or a webhook. */
  readonly subscription: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Names of headers whose values are omitted from the log. */
  readonly secrets?: readonly string[]
}

const shape = {
  id: integer,
  at: text,
  subscription: text,
  address: text,
  attempt: integer,
  status: nullable(integer),
  problem: nullable(text),
  headers: text,
  body: text,
}

/** One attempt to deliver a notification: `status` is the response's, or null if there was none. */
export type Delivery = RowOf<typeof shape>

export interface DeliveryOptions {
  readonly store: Store
  /** A clock like `Date.now`. */
  readonly now: () => number
  /** Hosts to which notifications may be sent, besides this machine. */
  readonly hosts: readonly string[]
  /** Delay before each retry, in milliseconds. */
  readonly delays: readonly number[]
  /** True if an attempt with this status is retried; null means that no response came. */
  readonly repeats: (status: number | null) => boolean
  /** True while a subscription exists; without one, nothing is retried. */
  readonly isOpen?: (subscription: string) => boolean
  /** Waits; uses the system clock by default. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/** Sends notifications and logs every attempt. */
export interface Deliveries {
  /** Sends a notification after earlier ones to the same subscription; returns at once. */
  readonly send: (notification: Notification) => void
  /** Resolves when nothing is being sent. */
  readonly idle: () => Promise<void>
  /** Attempts after the one with the id `after`, oldest first. */
  readonly list: (range?: { readonly after?: number; readonly limit?: number }) => Delivery[]
  /** The log, as a table on the emulator's page and at `/__emulator/deliveries`. */
  readonly table: PageTable
  /** Gives up on notifications that have not arrived. */
  readonly close: () => Promise<void>
}

const maxDeliveries = 1_000
const timeoutMs = 10_000
const table = `create table if not exists emulator_deliveries (
  id integer primary key, at text not null, subscription text not null, address text not null, attempt integer not null,
  status integer, problem text, headers text not null, body text not null
) strict`

export function openDeliveries({ store, now, hosts, delays, repeats, isOpen, sleep = systemSleep }: DeliveryOptions): Deliveries {
  const closing = new AbortController()
  const pending = new Map<string, Promise<void>>()
  const log = deliveryLog(store, now)
  const attempt = async (notification: Notification, count: number) => {
    const outcome: Outcome = isDeliverable(notification.address, hosts)
      ? await post(notification, closing.signal)
      : { status: null, problem: undeliverable(notification.address), isFinal: true }
    // If the database is locked, full or closed, only the log line is lost: further attempts and the process go on.
    if (!closing.signal.aborted) await log.record(notification, { attempt: count, ...outcome }).catch(() => undefined)
    return outcome.isFinal === true || !repeats(outcome.status)
  }
  const deliver = async (notification: Notification) => {
    const isWanted = (count: number) => !closing.signal.aborted && (count === 1 || isOpen?.(notification.subscription) !== false)
    for (let count = 1; isWanted(count); count += 1) {
      if (await attempt(notification, count)) return
      const delay = delays[count - 1]
      if (delay === undefined) return
      await sleep(delay, closing.signal).catch(() => undefined)
    }
  }
  return {
    send(notification) {
      const { subscription } = notification
      const sent = (pending.get(subscription) ?? Promise.resolve()).then(() => deliver(notification))
      pending.set(subscription, sent)
      void sent.finally(() => pending.get(subscription) === sent && pending.delete(subscription))
    },
    async idle() {
      while (pending.size > 0) await Promise.allSettled(pending.values())
    },
    list: log.list,
    table: log.table,
    async close() {
      closing.abort()
      await Promise.allSettled(pending.values())
    },
  }
}

const systemSleep: NonNullable<DeliveryOptions['sleep']> = (milliseconds, signal) =>
  setTimeout(milliseconds, undefined, { signal, ref: false })

interface Outcome {
  readonly status: number | null
  readonly problem: string | null
  /** True if no retry would change the outcome. */
  readonly isFinal?: true
}

/** Redirects are not followed: they could lead to another machine. */
async function post({ address, headers, body }: Notification, closing: AbortSignal): Promise<Outcome> {
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)])
    const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await response.body?.cancel()
    return { status: response.status, problem: null }
  } catch (error) {
    return { status: null, problem: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}

/** The log of attempts, among the emulator's own tables. Only the newest attempts are kept. */
function deliveryLog(store: Store, now: () => number) {
  let hasTable = false
  const prepare = () => {
    if (!hasTable)
      store.writeNow(() => {
        store.script(table)
      })
    hasTable = true
  }
  const list: Deliveries['list'] = ({ after = 0, limit = -1 } = {}) => {
    prepare()
    return store.rows(shape, 'select * from emulator_deliveries where id > :after order by id limit :limit', { after, limit })
  }
  const record = async (
    { subscription, address, headers, body, secrets = [] }: Notification,
    { attempt, status, problem }: Outcome & { readonly attempt: number },
  ) => {
    const hidden = secrets.map((name) => name.toLowerCase())
    const visible = Object.entries(headers).map(([name, value]) => [name, hidden.includes(name.toLowerCase()) ? '*' : value])
    const values = { subscription, address, attempt, status, problem, body, headers: JSON.stringify(Object.fromEntries(visible)) }
    await store.write(() => {
      if (!hasTable) store.script(table)
      const id = insertRow(store, 'emulator_deliveries', { at: new Date(now()).toISOString(), ...values })
      store.run('delete from emulator_deliveries where id <= :oldest', { oldest: id - maxDeliveries })
    })
  }
  return { list, table: { name: 'deliveries', title: 'Notifications', list }, record }
}
