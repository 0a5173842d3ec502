import { expect, test } from 'vitest'
import { exponentOf } from './fit.ts'

const sizes = [1, 10, 100, 1_000]
const grown = (law: (size: number) => number) => exponentOf(sizes.map((size) => ({ size, value: law(size) })))

test.for([
  ['constant', () => 7, 0],
  ['linear', (size: number) => 3 * size, 1],
  ['quadratic', (size: number) => size ** 2 / 5, 2],
  ['the square root', (size: number) => 2 * Math.sqrt(size), 0.5],
  ['falling', (size: number) => 1 / size, -1],
] as const)('finds the exponent of a law: %s', ([, law, exponent]) => {
  expect(grown(law)).toBeCloseTo(exponent, 10)
})

test('a fixed cost makes linear growth look slower, never faster', () => {
  const exponent = grown((size) => 50 + size)
  expect(exponent).toBeGreaterThan(0)
  expect(exponent).toBeLessThan(1)
})

test('fits noisy points by least squares', () => {
  const value = [1.1, 9, 110, 900]
  const points = sizes.map((size, index) => ({ size, value: value[index] ?? 0 }))
  // From a calculation by hand: (-1.5 × log 1.1 - 0.5 × log 9 + 0.5 × log 110 + 1.5 × log 900) / 5, with logarithms to the base of 10.
  expect(exponentOf(points)).toBeCloseTo(0.9826, 4)
})

test.for([
  [[]],
  [[{ size: 5, value: 1 }]],
  [
    [
      { size: 1, value: 0 },
      { size: 2, value: 1 },
    ],
  ],
] as const)('has no exponent for %j', ([points]) => {
  expect(Number.isFinite(exponentOf(points))).toBe(false)
})
