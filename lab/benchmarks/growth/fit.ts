/** One measured value at one size. */
export interface Point {
  readonly size: number
  readonly value: number
}

/**
 * The exponent b of the power law value = a × size^b that fits the points best, by least squares of the logarithms: 1 for linear growth,
 * 0 for none. Not finite for fewer than two sizes, or for a size or a value that is not positive.
 */
export function exponentOf(points: readonly Point[]): number {
  const logs = points.map(({ size, value }) => ({ x: Math.log(size), y: Math.log(value) }))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const x = mean(logs.map((point) => point.x))
  const y = mean(logs.map((point) => point.y))
  const covariance = mean(logs.map((point) => (point.x - x) * (point.y - y)))
  return covariance / mean(logs.map((point) => (point.x - x) ** 2))
}
