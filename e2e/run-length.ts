/** Effort of a run: `npm test` takes a share, CI the amount that the pages count, `LONG=full` everything. */
export const runLength = process.env['LONG'] === 'full' ? 'full' : process.env['CI'] === 'true' ? 'ci' : 'everyday'

/** Size of the sample for each length: one case in this many. */
type Shares = Readonly<Record<typeof runLength, number>>

/** Takes a share of `cases`; a neighbour with the next `number` takes the next ones, so that together they take all. */
export function shareOf<Case>(cases: readonly Case[], shares: Shares, number: number): readonly Case[] {
  const share = shares[runLength]
  return cases.filter((_, index) => (index + number) % share === 0)
}
