import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '@mcp-toolkits/testing/postgres'
import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import type { Company } from '../../packages/testing/src/company/company.ts'

/** Outages while people call. */
export interface Outages {
  /** Ends the outages, and resolves once everything runs again. */
  readonly end: () => Promise<OutageTally>
}

/** An outage's start and end, from `performance.now()`. */
export interface Outage {
  readonly from: number
  readonly to: number
}

export interface OutageTally {
  /** Each lasts from a kill until the replica runs again. Meanwhile, the other replicas answer once the balancer has noticed. */
  readonly kills: readonly Outage[]
  /** PostgreSQL's outage, unless the run ended earlier. */
  readonly database: readonly Outage[]
  /** The time during which a newly started replica could not verify tokens, unless the run ended earlier. */
  readonly identityProvider: readonly Outage[]
}

export interface OutagePlan {
  readonly company: Pick<Company, 'replicas' | 'identityProvider'>
  readonly postgres: PostgresServer
  /** Minimum duration of the calls, in milliseconds. */
  readonly ms: number
  /** Time from one kill to the next, in milliseconds. */
  readonly killEveryMs: number
  readonly seed: number
}

/** Length of the identity provider's outage, and the time until a replica asks it again, in milliseconds. */
const awayMs = 4_000
const askedAgainMs = 5_000

/** Kills one replica after another. A third of the way through, PostgreSQL crashes; two thirds through, the identity provider goes down. */
export function startOutages({ company, postgres, ms, killEveryMs, seed }: OutagePlan): Outages {
  const random = randomNumbers(seed)
  const { replicas, identityProvider } = company
  const started = performance.now()
  const ending = new AbortController()
  /** Waits until a time, in milliseconds after the start; true if it came before the end. */
  const comes = (due: number) =>
    sleep(Math.max(0, started + due - performance.now()), undefined, { signal: ending.signal }).then(
      () => true,
      () => false,
    )
  const killAll = async () => {
    const kills: Outage[] = []
    while (await comes((kills.length + 1) * killEveryMs)) {
      const victim = replicas[Math.floor(random() * replicas.length)]
      const from = performance.now()
      await victim?.kill()
      // Restarts the replica until it runs, as a supervisor does: it may fail to start while the database is down.
      while (
        !(await victim?.restart().then(
          () => true,
          () => false,
        ))
      );
      kills.push({ from, to: performance.now() })
    }
    return kills
  }
  const crash = async () => {
    if (!(await comes(ms / 3))) return []
    const from = performance.now()
    await postgres.crash()
    await postgres.restart()
    return [{ from, to: performance.now() }]
  }
  const leave = async () => {
    if (!(await comes((2 * ms) / 3))) return []
    const from = performance.now()
    await identityProvider.stop()
    await comes((2 * ms) / 3 + awayMs)
    await identityProvider.start()
    return [{ from, to: performance.now() + askedAgainMs }]
  }
  const all = Promise.all([killAll(), crash(), leave()])
  return {
    async end() {
      ending.abort()
      const [kills, database, identity] = await all
      return { kills, database, identityProvider: identity }
    },
  }
}
