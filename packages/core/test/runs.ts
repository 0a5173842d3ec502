/** How often a property is tried: `full` times with CI=true, otherwise a tenth of that. A failure prints its seed. */
export function runs(full: number): number {
  return process.env['CI'] === 'true' ? full : Math.ceil(full / 10)
}
