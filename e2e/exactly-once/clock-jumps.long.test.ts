import { describe, expect, test } from 'vitest'
import { creatingServers, titleOf } from './creates.ts'
import { killSeed } from './installation.ts'
import { openKillBench } from './kill-bench.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'

const day = 86_400_000

/**
 * Jumps forward and back, with and without a key. On a push, only one is tried, a different one for each create; the seed chooses the
 * creates.
 */
const trials = [
  { jump: day, isKeyed: false },
  { jump: day, isKeyed: true },
  { jump: -day, isKeyed: true },
  { jump: -day, isKeyed: false },
] as const

/** Changes the date in a process, as if the machine's date had been set; clocks that count from the boot are unaffected. */
const withDateSetBy = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`,
})

describe.for(creatingServers)('$server.name, repeated after the clock of the machine was set', (server) => {
  const creates = server.creates.map((create, index) => ({ title: titleOf(create), create, index }))
  test.concurrent.for(shareOf(creates, 8, killSeed))(
    `$title is done once (KILL_SEED=${killSeed})`,
    { timeout: 300_000 },
    async ({ create, index }) => {
      await using bench = await openKillBench(server, create, killSeed)
      const point = { kind: 'request', index: bench.requests - 1, moment: 'after it is processed' } as const
      for (const { jump, isKeyed } of shareOf(trials, 4, index)) {
        const trial = await bench.kill(point, { isKeyed, delayMs: 0, environment: withDateSetBy(jump) })
        expect(trial).toMatchObject({ wasKilled: true })
        expect(trial.failure).toBeUndefined()
      }
    },
  )
})
