import type { Create, ServerCreates } from './creates.ts'
import { moments } from './gate.ts'
import { openKillBench, type KillBench, type Trial } from './kill-bench.ts'
import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import type { KillPoint } from './kill-points.ts'

export interface SweepOptions {
  readonly server: ServerCreates
  readonly create: Create
  readonly isKeyed: boolean
  /** Points to try, each at least once. */
  readonly kinds: readonly KillPoint['kind'][]
  /** Minimum number of creates to interrupt. */
  readonly creates: number
  /** Share of calls repeated a second later; the rest are repeated at once. */
  readonly delayed: number
  readonly seed: number
}

export interface SweepResult {
  /** Calls that were killed and repeated. */
  readonly kills: number
  readonly points: number
  /** Repeated calls whose answer said that an earlier call was resumed. */
  readonly notices: number
  readonly failures: readonly string[]
}

const delayMs = 1_000

/** Kills the server at every point of a call, using a new call each time, and then at points chosen by the seed. */
export async function sweep(options: SweepOptions): Promise<SweepResult> {
  const { server, create, isKeyed, kinds, creates, delayed, seed } = options
  await using bench = await openKillBench(server, create, seed)
  const random = randomNumbers(seed)
  const trials: Trial[] = []
  const tryPoint = async (point: KillPoint) => {
    const trial = await bench.kill(point, { isKeyed, delayMs: random() < delayed ? delayMs : 0 })
    trials.push(trial)
    return trial.wasKilled
  }
  if (kinds.includes('request')) await tryRequests(tryPoint)
  if (kinds.includes('write')) await tryWrites(tryPoint)
  const points = trials.filter(({ wasKilled }) => wasKilled).map(({ point }) => point)
  const kills = () => trials.filter(({ wasKilled }) => wasKilled).length
  while (kills() < creates) {
    const point = points[Math.floor(random() * points.length)]
    if (!point) throw new Error('No point of this call has killed the server.')
    await tryPoint(point)
  }
  const failures = trials.flatMap(({ failure }) => failure ?? [])
  const late = await settled(bench)
  return {
    kills: kills(),
    points: points.length,
    notices: trials.filter(({ hasNotice }) => hasNotice).length,
    failures: [...failures, ...late],
  }
}

async function settled(bench: KillBench): Promise<string[]> {
  const failure = await bench.settle()
  return failure === undefined ? [] : [`after the last call: ${failure}`]
}

async function tryRequests(tryPoint: (point: KillPoint) => Promise<boolean>): Promise<void> {
  for (let index = 0; ; index += 1) {
    const killed: boolean[] = []
    for (const moment of moments) {
      killed.push(await tryPoint({ kind: 'request', index, moment }))
      // The call has no request with this index.
      if (killed.length === 1 && !killed[0]) return
    }
  }
}

async function tryWrites(tryPoint: (point: KillPoint) => Promise<boolean>): Promise<void> {
  for (const writes of ['files', 'output'] as const) for (let number = 1; await tryPoint({ kind: 'write', writes, number });) number += 1
}
