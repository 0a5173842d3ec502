// Sends the same events with our server and with the vendor's SDKs, and counts the requests and the time until the vendor has all events.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { figuresOf, type Figures } from '../statistics.ts'
import { type EventVendor, openEventVendor } from './event-vendor.ts'
import type { Installation } from './install.ts'
import { type Kind, type OpenSender, type SampleEvent, type Sender } from './senders.ts'

export interface EventRow {
  readonly job: string
  readonly name: string
  /** Number of requests to the vendor for the events alone. */
  readonly requests: number
  /** Milliseconds until the vendor has everything, if it answers immediately and if it answers after 100 ms. */
  readonly ms: Figures
  readonly ms_at_100?: Figures
}

export interface InstalledSender {
  readonly sender: Sender
  readonly installation: Installation
}

interface EventJob {
  readonly job: string
  readonly kind: Kind
  readonly events: number
  /** Number of events in each call. */
  readonly each: number
  readonly inFlight: number
}

const jobs: readonly EventJob[] = [
  { job: '100 events, one after another', kind: 'single', events: 100, each: 1, inFlight: 1 },
  { job: '100 events, 16 in flight', kind: 'single', events: 100, each: 1, inFlight: 16 },
  { job: 'a batch of 1,000 events', kind: 'batch', events: 1_000, each: 1_000, inFlight: 1 },
  { job: 'a batch of 10,000 events', kind: 'batch', events: 10_000, each: 10_000, inFlight: 1 },
]

const lateMs = 100

/** Number of events that fill one request of the SDK that buffers them, so that none are left when the measurement begins. */
const warmUp = 15

/** Events about `count` people, one each. */
export const eventsFrom = (first: number, count: number): SampleEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    userId: `person-${first + index}@example.com`,
    event: 'Order Completed',
    properties: { order: `A-${first + index}`, total: 42.5, currency: 'EUR', coupon: 'SPRING', items: 3 },
  }))

/** The sender's name on the page, with the way in which it is used if there are several. */
export const nameOf = ({ name, use }: Sender): string => (use === undefined ? name : `${name}, ${use}`)

/** Runs `use` with a sender in a new directory. */
export async function withSender<Result>(
  { sender, installation }: InstalledSender,
  { upstream }: EventVendor,
  use: (open: () => Promise<OpenSender>) => Promise<Result>,
): Promise<Result> {
  const home = mkdtempSync(path.join(tmpdir(), 'sender-'))
  try {
    return await use(() => sender.open({ installation: installation.directory, home, upstream: upstream.url }))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Keeps this many calls in flight until all are made. `onAnswer` gets each call's events, and true if they were accepted. */
export async function sendAll(
  { send }: Pick<OpenSender, 'send'>,
  calls: readonly (readonly SampleEvent[])[],
  inFlight: number,
  onAnswer: (events: readonly SampleEvent[], isAccepted: boolean) => void,
): Promise<void> {
  const queue = calls.values()
  const work = async () => {
    for (const events of queue) onAnswer(events, await send(events))
  }
  await Promise.all(Array.from({ length: inFlight }, work))
}

/** Measures every job with every sender that can do it, `rounds` times with each delay. */
export async function measureEvents(installed: readonly InstalledSender[], rounds: number, withLate: boolean): Promise<EventRow[]> {
  const rows: EventRow[] = []
  for (const job of jobs) {
    for (const each of installed.filter(({ sender }) => sender.kinds.includes(job.kind))) {
      const atOnce: Trial[] = []
      const late: Trial[] = []
      for (let round = 0; round < rounds; round += 1) {
        atOnce.push(await trial(each, job, 0))
        if (withLate) late.push(await trial(each, job, lateMs))
      }
      rows.push({
        ...{ job: job.job, name: nameOf(each.sender), requests: atOnce[0]?.requests ?? 0 },
        ms: figuresOf(atOnce.map(({ ms }) => ms)),
        ...(withLate && { ms_at_100: figuresOf(late.map(({ ms }) => ms)) }),
      })
    }
  }
  return rows
}

interface Trial {
  readonly ms: number
  readonly requests: number
}

async function trial(installed: InstalledSender, { events: count, each, inFlight }: EventJob, delay: number): Promise<Trial> {
  await using vendor = await openEventVendor()
  return await withSender(installed, vendor, async (open) => {
    await using sender = await open()
    const check = (_: unknown, isAccepted: boolean) => {
      if (!isAccepted) throw new Error(`${installed.sender.name} has refused an event.`)
    }
    await sendAll(
      sender,
      eventsFrom(0, warmUp).map((event) => [event]),
      warmUp,
      check,
    )
    await vendor.until((arrived) => arrived.size >= warmUp)
    const events = eventsFrom(warmUp, count)
    const calls = Array.from({ length: count / each }, (_, index) => events.slice(index * each, (index + 1) * each))
    vendor.upstream.reset()
    vendor.upstream.delay = delay
    const begun = performance.now()
    await sendAll(sender, calls, inFlight, check)
    const flushed = sender.flush()
    await vendor.until((arrived) => arrived.size >= warmUp + count)
    const ms = performance.now() - begun
    await flushed
    return { ms, requests: vendor.upstream.counts.requests }
  })
}
