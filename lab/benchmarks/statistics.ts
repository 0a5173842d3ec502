/** A series summarized in a few figures, in its own unit. */
export interface Figures {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
}

export function figuresOf(values: readonly number[], decimals = 1): Figures {
  const rounded = (value: number) => Math.round(10 ** decimals * value) / 10 ** decimals
  return { median: rounded(medianOf(values)), min: rounded(Math.min(...values)), max: rounded(Math.max(...values)) }
}
