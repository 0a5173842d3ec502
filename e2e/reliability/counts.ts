import { expect } from 'vitest'
import { isCI, isFull } from '../../packages/testing/src/runs.ts'

/** Counts from one file of the suite. */
export type Counts = Readonly<Record<string, number>>

/**
 * Compares a CI run's counts with those in docs/reliability.md, which `CI=true vitest --update` writes. Other runs have different counts.
 */
export async function expectCounts(name: string, counts: Counts): Promise<void> {
  if (!isCI || isFull) {
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
    return
  }
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot(`./counts/${name}.json`)
}
