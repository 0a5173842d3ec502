/** Effort of a run: `npm test` takes a share of long tests, CI a larger one, and `LONG=full` everything, as a workflow does each week. */
export const runLength = process.env['LONG'] === 'full' ? 'full' : process.env['CI'] === 'true' ? 'ci' : 'everyday'

/** True if the programs that tests need must be present. */
export const isCI = process.env['CI'] === 'true'

/** For each run length, one case in this many is run. */
type Shares = Readonly<Record<typeof runLength, number>>

/** Each number divides the number of rounds in tests that need whole pages of items. */
const ofCases: Shares = { full: 1, ci: 10, everyday: 20 }

/** Number of cases for a property: `all` of them with LONG=full. A failure prints its seed. */
export function runs(all: number): number {
  return Math.ceil(all / ofCases[runLength])
}

/** Takes a share of `cases`. Successive values of `number` give different shares, which together contain all cases. */
export function shareOf<Case>(cases: readonly Case[], shares: Shares, number: number): readonly Case[] {
  const share = shares[runLength]
  return cases.filter((_, index) => (index + number) % share === 0)
}
