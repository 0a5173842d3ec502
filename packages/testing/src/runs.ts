/** Whether everything has to run: the programs that tests need must be there then, and properties are tried with all cases. */
export const isCI = process.env['CI'] === 'true'

/** How many cases a property is tried with: all of them with CI=true, a tenth otherwise. A failure prints its seed. */
export function runs(all: number): number {
  return isCI ? all : Math.ceil(all / 10)
}
