import { describe, expect, test } from 'vitest'
import { runLength, shareOf } from '../../packages/testing/src/runs.ts'
import { creatingServers, titleOf } from './creates.ts'
import { killSeed } from './installation.ts'
import type { KillPoint } from './kill-points.ts'
import { whyNotTraced } from './killable-server.ts'
import { sweep } from './sweep.ts'

/** `LONG=full` takes an hour. */
const isFull = runLength === 'full'
const scale = isFull
  ? { creates: 200, delayed: 0.5, fileStep: 1, outputStep: 1, bodyStep: 1 }
  : { creates: 6, delayed: 0.05, fileStep: 12, outputStep: 8, bodyStep: 32 }

const obstacle = whyNotTraced()
if (obstacle !== undefined) process.stdout.write(`Kills at system calls are skipped, those at requests are not: ${obstacle}\n`)

/** The writes of all creates go through one store. Without `LONG=full`, one create of each server is killed at them. */
const kindsOf = (place: number): readonly KillPoint['kind'][] =>
  obstacle === undefined && (isFull || place === 0) ? ['request', 'write'] : ['request']

describe.for(creatingServers)('$server.name, killed at requests and writes', (server) => {
  const cases = server.creates.flatMap((create) =>
    [false, true].map((isKeyed) => ({ title: `${titleOf(create)} ${isKeyed ? 'with' : 'without'} a key`, create, isKeyed })),
  )
  // The seed chooses those of a push.
  const chosen = shareOf(cases, { full: 1, ci: 16, everyday: 16 }, killSeed).map((each, place) => ({ ...each, place }))
  test.concurrent.for(chosen)(
    `$title is done once (KILL_SEED=${killSeed})`,
    { timeout: 3_600_000 },
    async ({ title, create, isKeyed, place }) => {
      const { kills, points, notices, failures } = await sweep({
        server,
        create,
        isKeyed,
        kinds: kindsOf(place),
        firstFile: 1 + (killSeed % scale.fileStep),
        seed: killSeed,
        ...scale,
      })
      process.stdout.write(`${title}: ${kills} kills at ${points} points, ${notices} notices, ${failures.length} failures.\n`)
      expect(failures).toEqual([])
      expect(kills).toBeGreaterThanOrEqual(scale.creates)
    },
  )
})
