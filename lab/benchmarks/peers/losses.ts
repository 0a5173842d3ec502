// Measures what happens to events that a sender had accepted before its process was killed and restarted.
import { setTimeout as sleep } from 'node:timers/promises'
import { openEventVendor } from './event-vendor.ts'
import { eventsFrom, type InstalledSender, nameOf, sendAll, withSender } from './events.ts'

export interface LossRow {
  readonly name: string
  /** Number of events that the sender said it had accepted before it was killed. */
  readonly accepted: number
  /** Number of accepted events that the vendor never got. */
  readonly lost: number
  /** Number of events that the vendor counted more than once. */
  readonly doubled: number
}

const events = 200
const inFlight = 16

/** Number of answers after which the process is killed. */
const untilKilled = 100

/** The vendor's response time, in milliseconds: long enough for requests to be in flight when the process is killed. */
const vendorMs = 100

/** Time, in milliseconds, for a new process to send the events that the killed process left. */
const patience = 10_000

/** Kills each sender of single events once while it works. */
export async function measureLosses(installed: readonly InstalledSender[]): Promise<LossRow[]> {
  const rows: LossRow[] = []
  for (const each of installed.filter(({ sender }) => sender.kinds.includes('single'))) rows.push(await measure(each))
  return rows
}

async function measure(installed: InstalledSender): Promise<LossRow> {
  await using vendor = await openEventVendor()
  vendor.upstream.delay = vendorMs
  return await withSender(installed, vendor, async (open) => {
    const accepted = new Set<string>()
    const { promise: hasEnough, resolve } = Promise.withResolvers<undefined>()
    const onAnswer = (sent: readonly { readonly userId: string }[], isAccepted: boolean) => {
      if (isAccepted && accepted.size < untilKilled) for (const { userId } of sent) accepted.add(userId)
      if (accepted.size >= untilKilled) resolve(undefined)
    }
    const killed = await open()
    const calls = eventsFrom(0, events).map((event) => [event])
    // Calls that are under way when the process ends are never answered.
    void sendAll(killed, calls, inFlight, onAnswer)
    await hasEnough
    await killed[Symbol.asyncDispose]()
    vendor.upstream.delay = 0
    await using restarted = await open()
    await restarted.send(eventsFrom(events, 1))
    await restarted.flush()
    await Promise.race([vendor.until((arrived) => [...accepted].every((person) => arrived.has(person))), sleep(patience)])
    const counts = vendor.accepted()
    return {
      name: nameOf(installed.sender),
      accepted: accepted.size,
      lost: [...accepted].filter((person) => !counts.has(person)).length,
      doubled: [...counts.values()].filter((count) => count > 1).length,
    }
  })
}
