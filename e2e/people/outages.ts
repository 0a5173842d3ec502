import type { PostgresServer } from '@mcp-toolkits/testing/postgres'
import { randomNumbers } from '../exactly-once/kill-points.ts'
import type { Company } from './company.ts'

/** Outages while people call. */
export interface Outages {
  /** Resolves with the number of kills once everything runs again. */
  readonly settled: () => Promise<number>
}

export interface OutagePlan {
  readonly company: Pick<Company, 'replicas' | 'identityProvider'>
  readonly postgres: PostgresServer
  /** How long people call, in milliseconds. */
  readonly ms: number
  readonly seed: number
}

const killEveryMs = 10_000
/** How long the identity provider is away, in milliseconds. */
const awayMs = 4_000

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Kills a replica every ten seconds; after a third of the time PostgreSQL crashes, and after two thirds the identity provider is away. */
export function startOutages({ company, postgres, ms, seed }: OutagePlan): Outages {
  const random = randomNumbers(seed)
  const { replicas, identityProvider } = company
  const kills = Math.floor(ms / killEveryMs) - 1
  const started = performance.now()
  const killAll = async () => {
    for (let killed = 0; killed < kills; killed += 1) {
      await sleep(started + (killed + 1) * killEveryMs - performance.now())
      const victim = replicas[Math.floor(random() * replicas.length)]
      await victim?.kill()
      // As a supervisor does: it may not start while the database is away.
      while (
        !(await victim?.restart().then(
          () => true,
          () => false,
        ))
      );
    }
    return kills
  }
  const crash = async () => {
    await sleep(ms / 3)
    await postgres.crash()
    await postgres.restart()
  }
  const leave = async () => {
    await sleep((2 * ms) / 3)
    await identityProvider.stop()
    await sleep(awayMs)
    await identityProvider.start()
  }
  const all = Promise.all([killAll(), crash(), leave()])
  return { settled: async () => (await all)[0] }
}
