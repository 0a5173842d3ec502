import { expect } from 'vitest'

/** What one file of the suite has counted. */
export type Counts = Readonly<Record<string, number>>

/** Compares what was counted with what docs/reliability.md says; `vitest --update` writes it down. A full run counts more than the page says. */
export async function expectCounts(name: string, counts: Counts): Promise<void> {
  if (process.env['LONG'] === 'full') {
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0)
    return
  }
  await expect(`${JSON.stringify(counts, null, 2)}\n`).toMatchFileSnapshot(`./counts/${name}.json`)
}
