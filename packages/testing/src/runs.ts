/** True if everything runs: the programs that tests need must be there, and properties are tried with all cases. */
export const isCI = process.env['CI'] === 'true'

/** Number of cases for a property: all of them with CI=true, a tenth otherwise. A failure prints its seed. */
export function runs(all: number): number {
  return isCI ? all : Math.ceil(all / 10)
}
