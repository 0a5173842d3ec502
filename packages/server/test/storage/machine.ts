import { join } from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { onTestFinished } from 'vitest'
import { openIdempotencyStore } from '../../src/storage/idempotency-store.ts'
import type { StoreMachine } from './idempotency-store-contract.ts'
import { temporaryDirectory } from '../../../sqlite/test/temporary.ts'

interface TestMachine extends StoreMachine {
  /** Path of the database. */
  readonly file: string
  /** Kills all processes. */
  readonly killAll: () => Promise<void>
}

/** A machine with an empty store, whose processes all run in this one: they share only the disk. */
export async function openMachine(bootName = 'boot'): Promise<TestMachine> {
  const file = join(temporaryDirectory(), 'data', 'calls.db')
  let clock = new ManualClock()
  // The machine has run for some hours.
  await clock.advance(5 * 60 * 60_000)
  let boots = 1
  const kills = new Set<() => Promise<void>>()
  const killAll = async () => {
    for (const kill of kills) await kill()
  }
  onTestFinished(killAll)
  return {
    file,
    killAll,
    get clock() {
      return clock
    },
    async start() {
      const store = await openIdempotencyStore({ file, clock, boot: bootName && `${bootName} ${boots}` })
      const kill = async () => {
        kills.delete(kill)
        await store.close()
      }
      kills.add(kill)
      return { store, kill }
    },
    async reboot(ms) {
      await killAll()
      boots += 1
      clock = new ManualClock({ start: clock.now() + ms })
    },
  }
}
