import { describe, expect, test } from 'vitest'
import { creatingServers, titleOf } from './creates.ts'
import { killSeed } from './installation.ts'
import type { KillPoint } from './kill-points.ts'
import { whyNotTraced } from './killable-server.ts'
import { sweep } from './sweep.ts'

const creates = 200

const obstacle = whyNotTraced()
if (obstacle !== undefined) process.stdout.write(`Kills at system calls are skipped, those at requests are not: ${obstacle}\n`)

const kinds: readonly KillPoint['kind'][] = obstacle === undefined ? ['request', 'write'] : ['request']

describe.for(creatingServers)('$server.name, killed at requests and writes', (server) => {
  const cases = server.creates.flatMap((create) =>
    [false, true].map((isKeyed) => ({ title: `${titleOf(create)} ${isKeyed ? 'with' : 'without'} a key`, create, isKeyed })),
  )
  test.concurrent.for(cases)(`$title is done once (KILL_SEED=${killSeed})`, { timeout: 3_600_000 }, async ({ title, create, isKeyed }) => {
    const { kills, points, notices, failures } = await sweep({
      server,
      create,
      isKeyed,
      kinds,
      seed: killSeed,
      creates,
      delayed: 0.5,
    })
    process.stdout.write(`${title}: ${kills} kills at ${points} points, ${notices} notices, ${failures.length} failures.\n`)
    expect(failures).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(creates)
  })
})
