import { expect } from 'vitest'
import { runLength } from '../run-length.ts'

/** Counts from one file of the suite. */
export type Counts = Readonly<Record<string, number>>

/** Compares what a run of CI has counted with what docs/reliability.md says; `CI=true vitest --update` writes it down. Other runs count less or more. */
export async function expectCounts(name: string, counts: Counts): Promise<void> {
  if (runLength !== 'ci') {
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
    return
  }
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot(`./counts/${name}.json`)
}
