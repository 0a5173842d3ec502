import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '@mcp-toolkits/testing/postgres'
import { randomNumbers } from '../exactly-once/kill-points.ts'
import type { Company } from './company.ts'

/** Outages while people call. */
export interface Outages {
  /** Ends them, and resolves once everything runs again. */
  readonly end: () => Promise<OutageTally>
}

export interface OutageTally {
  readonly kills: number
  /** While PostgreSQL was down, as moments of `performance.now()`. */
  readonly database: readonly [from: number, to: number]
}

export interface OutagePlan {
  readonly company: Pick<Company, 'replicas' | 'identityProvider'>
  readonly postgres: PostgresServer
  /** How long people call at least, in milliseconds. */
  readonly ms: number
  readonly seed: number
}

const killEveryMs = 10_000
/** How long the identity provider is down, in milliseconds. */
const awayMs = 4_000

/** Kills a replica every ten seconds; after a third of the time PostgreSQL crashes, and after two thirds the identity provider is down. */
export function startOutages({ company, postgres, ms, seed }: OutagePlan): Outages {
  const random = randomNumbers(seed)
  const { replicas, identityProvider } = company
  const started = performance.now()
  const ending = new AbortController()
  /** Whether that moment came before the end. */
  const comes = (due: number) =>
    sleep(Math.max(0, started + due - performance.now()), undefined, { signal: ending.signal }).then(
      () => true,
      () => false,
    )
  const killAll = async () => {
    let kills = 0
    for (; await comes((kills + 1) * killEveryMs); kills += 1) {
      const victim = replicas[Math.floor(random() * replicas.length)]
      await victim?.kill()
      // As a supervisor does: it may not start while the database is down.
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
    if (!(await comes(ms / 3))) return [0, 0] as const
    const began = performance.now()
    await postgres.crash()
    await postgres.restart()
    return [began, performance.now()] as const
  }
  const leave = async () => {
    if (!(await comes((2 * ms) / 3))) return
    await identityProvider.stop()
    await comes((2 * ms) / 3 + awayMs)
    await identityProvider.start()
  }
  const all = Promise.all([killAll(), crash(), leave()])
  return {
    async end() {
      ending.abort()
      const [kills, database] = await all
      return { kills, database }
    },
  }
}
