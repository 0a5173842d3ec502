/** True in the weekly run, which `LONG=full` starts. Every other run takes a share of what is long; CI also takes `*.long.test.ts`. */
export const isFull = process.env['LONG'] === 'full'

/** True if the programs that tests need must be present. */
export const isCI = process.env['CI'] === 'true'

/** Number of cases for a property: `all` of them with LONG=full, else one in 20. A failure prints its seed. */
export function runs(all: number): number {
  // It divides the number of rounds in tests that need whole pages of items.
  return isFull ? all : Math.ceil(all / 20)
}

/** Takes one in `share` of the cases, or all with LONG=full. Successive values of `number` give shares that together contain all cases. */
export function shareOf<Case>(cases: readonly Case[], share: number, number: number): readonly Case[] {
  return isFull ? cases : cases.filter((_, index) => (index + number) % share === 0)
}
