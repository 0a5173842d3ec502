import { describe, expect, test } from 'vitest'
import { fileStorageCreates, issueTrackerCreates, type ServerCreates } from '../exactly-once/creates.ts'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import type { OpenVendor } from '../../packages/testing/src/vendors/vendor.ts'
import { callAll, type Call } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'
import { killerOf } from './kills.ts'

const kills = isFull ? 10 : 3
const faults = 0.2

const postgres = startDatabase()

/** Counts each of the marked items at the vendor. */
async function countsOf(vendor: OpenVendor, table: RegExp): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const line of await vendor.state()) {
    const mark = table.test(line) ? /mark\d+x/.exec(line)?.[0] : undefined
    if (mark !== undefined) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  return counts
}

interface Kind {
  readonly things: string
  readonly server: ServerCreates
  readonly tool: string
  readonly table: RegExp
  readonly full: number
}

const kinds: readonly Kind[] = [
  { things: 'issues', server: issueTrackerCreates, tool: 'CreateIssue', table: /^issues /, full: 600 },
  { things: 'folders', server: fileStorageCreates, tool: 'CreateFolder', table: /^files /, full: 200 },
  { things: 'uploads', server: fileStorageCreates, tool: 'UploadFile', table: /^files /, full: 200 },
]

describe(`creates through three replicas, which are killed ${kills} times (KILL_SEED=${seed})`, () => {
  test.each(kinds)('$things are created once', { timeout: 3_600_000 }, async ({ things, server, tool, table, full }) => {
    const count = isFull ? full : full / 10
    await using cluster = await openCluster({ vendor: server.vendor, databaseUrl: postgres().directUrl, seed })
    const { vendor, source } = cluster
    const create = server.creates.find((each) => each.tool === tool)
    if (!create) throw new Error(`${tool} creates nothing.`)
    const calls: Call[] = []
    for (let index = 0; index < count; index += 1) {
      calls.push({ name: `${server.server.prefix}_${tool}`, args: await create.args(`mark${index}x`, { vendor, source }) })
    }
    cluster.faults.setFaults(faults)
    const killer = killerOf(cluster.replicas, { calls: count, kills, seed })
    const tally = await callAll(cluster.url, calls, { parallel: 16, onDone: killer.onDone })
    expect(await killer.settled()).toBe(kills)
    const counts = await countsOf(vendor, table)
    process.stdout.write(`${count} ${things}, ${tally.lost} answers lost, ${tally.retryable} retryable errors.\n`)
    expect(tally.failures).toEqual([])
    expect(counts.size).toBe(count)
    expect([...counts].filter(([, times]) => times !== 1)).toEqual([])
  })
})
