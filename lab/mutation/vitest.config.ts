import { defineConfig } from 'vitest/config'

/**
 * The tests of core; TESTS names some of them, so that one module is quicker. A run that is interrupted keeps its results, and the next
 * one without `--force` goes on from there. A value that a module keeps, such as a regular expression built once, hides the mutants of the
 * code that builds it: only the first test counts for them.
 */
const include = process.env['TESTS']?.split(',') ?? ['packages/core/src/**/*.test.ts', 'packages/core/test/**/*.test.ts']

export default defineConfig({ test: { include, testTimeout: 20_000, isolate: false } })
