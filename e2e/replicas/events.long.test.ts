import { describe, expect, test } from 'vitest'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { callAll, type Call } from '../../packages/testing/src/cluster/client.ts'
import { openCluster, type Cluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'
import { killerOf } from './kills.ts'

const [count, kills] = isFull ? [10_000, 10] : [200, 3]
const faults = 0.2

const postgres = startDatabase()

const tool = 'EventPipelineApi_TrackUserEvent'

/** An event about a person who has no other event. */
const eventCall = (index: number, isIdentified: boolean): Call => {
  const body = { userId: `person${index}x`, event: 'Order Completed', ...(isIdentified && { messageId: `order-${index}` }) }
  return { name: tool, args: { mode: 'execute', request_body: JSON.stringify(body) } }
}

const peopleIn = (body: string) => [...body.matchAll(/person\d+x/g)].map(([person]) => person)

/** Counts the events about each person that the vendor accepted. */
async function acceptedCounts({ vendor }: Cluster): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const line of await vendor.state()) {
    const person = /person\d+x/.exec(line)?.[0]
    if (person !== undefined) counts.set(person, (counts.get(person) ?? 0) + 1)
  }
  return counts
}

/** Waits until the vendor has an event about every person, for as long as more arrive. */
async function drained(cluster: Cluster): Promise<void> {
  let last = -1
  for (let idle = 0; idle < 60; idle += 1) {
    const { size } = await acceptedCounts(cluster)
    if (size === count) return
    if (size !== last) idle = 0
    last = size
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

interface Run {
  readonly title: string
  /** True if callers give each event a `messageId`. */
  readonly isIdentified: boolean
  readonly isPooled: boolean
  readonly crashes: boolean
}

/** CI runs the first two. */
const allRuns: readonly Run[] = [
  { title: 'with ids, through PgBouncer, while PostgreSQL crashes', isIdentified: true, isPooled: true, crashes: true },
  { title: 'without ids', isIdentified: false, isPooled: false, crashes: false },
  { title: 'with ids', isIdentified: true, isPooled: false, crashes: false },
  { title: 'without ids, through PgBouncer, while PostgreSQL crashes', isIdentified: false, isPooled: true, crashes: true },
]

describe(`${count} events through three replicas, which are killed ${kills} times (KILL_SEED=${seed})`, () => {
  test.each(allRuns.slice(0, isFull ? 4 : 2))('$title: are delivered once', { timeout: 3_600_000 }, async (run) => {
    const databaseUrl = run.isPooled ? postgres().pooledUrl : postgres().directUrl
    await using cluster = await openCluster({ vendor: pipelines, databaseUrl, seed, peopleIn })
    cluster.faults.setFaults(faults)
    const killer = killerOf(cluster.replicas, { calls: count, kills, seed })
    let crash: Promise<void> | undefined
    const onDone = (done: number) => {
      killer.onDone(done)
      if (run.crashes && done >= count / 2)
        crash ??= postgres()
          .crash()
          .then(() => postgres().restart())
    }
    const calls = Array.from({ length: count }, (_each, index) => eventCall(index, run.isIdentified))
    const tally = await callAll(cluster.url, calls, { parallel: 32, onDone })
    expect(await killer.settled()).toBe(kills)
    await crash
    cluster.faults.setFaults(0)
    await drained(cluster)
    const counts = await acceptedCounts(cluster)
    const doubled = [...counts.values()].filter((times) => times > 1).length
    process.stdout.write(`${run.title}: ${tally.lost} answers lost, ${tally.retryable} retryable errors, ${doubled} doubled.\n`)
    expect(tally.failures).toEqual([])
    expect(counts.size).toBe(count)
    // Without an id, one event in a thousand may be sent again. A short run has few events, so by chance, a larger share may be doubled.
    expect(doubled).toBeLessThanOrEqual(run.isIdentified ? 0 : isFull ? count / 1_000 : 5)
  })
})
