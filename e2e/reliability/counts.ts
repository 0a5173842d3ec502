import { expect } from 'vitest'

/** What one file of the suite has counted. */
export type Counts = Readonly<Record<string, number>>

/** Compares what was counted with what docs/reliability.md says; `vitest --update` writes it down. */
export async function expectCounts(name: string, counts: Counts): Promise<void> {
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot(`./counts/${name}.json`)
}
