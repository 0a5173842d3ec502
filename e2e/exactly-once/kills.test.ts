import { expect, test } from 'vitest'
import { creatingServers, titleOf } from './creates.ts'
import { killSeed } from './installation.ts'
import { sweep } from './sweep.ts'

/** One way of creating something for each server; trying all of them, and every write to disk, takes minutes (`kills.weekly.test.ts`). */
const samples = creatingServers.flatMap((server) =>
  server.creates.slice(0, 1).map((create) => ({ server, create, title: titleOf(create) })),
)

test.concurrent.for(samples)(
  `$title is done once when the server is killed at any request (KILL_SEED=${killSeed})`,
  async ({ server, create }) => {
    const { failures, points } = await sweep({
      server,
      create,
      isKeyed: false,
      kinds: ['request'],
      creates: 0,
      delayed: 0,
      seed: killSeed,
    })
    expect(failures).toEqual([])
    expect(points).toBeGreaterThan(0)
  },
)
