/** How many cases a property is tried with: all of them with CI=true, a tenth otherwise. A failure prints its seed. */
export function runs(all: number): number {
  return process.env['CI'] === 'true' ? all : Math.ceil(all / 10)
}
