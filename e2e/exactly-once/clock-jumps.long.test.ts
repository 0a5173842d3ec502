import { describe, expect, test } from 'vitest'
import { creatingServers, titleOf } from './creates.ts'
import { killSeed } from './installation.ts'
import { openKillBench } from './kill-bench.ts'

const day = 86_400_000

/** Sets the date of a process, as if that of the machine had been set; clocks that count since the boot go on. */
const withDateSetBy = (ms: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`,
})

describe.for(creatingServers)('$server.name, repeated after the clock of the machine was set', (server) => {
  test.concurrent.for(server.creates.map((create) => ({ title: titleOf(create), create })))(
    `$title is done once (KILL_SEED=${killSeed})`,
    { timeout: 300_000 },
    async ({ create }) => {
      await using bench = await openKillBench(server, create, killSeed)
      const point = { kind: 'request', index: bench.requests - 1, moment: 'after it is processed' } as const
      for (const jump of [day, -day]) {
        for (const isKeyed of [false, true]) {
          const trial = await bench.kill(point, { isKeyed, delayMs: 0, environment: withDateSetBy(jump) })
          expect(trial).toMatchObject({ wasKilled: true })
          expect(trial.failure).toBeUndefined()
        }
      }
    },
  )
})
