import { defineConfig } from 'vitest/config'

/**
 * The tests of core, or only those in TESTS, which is faster for a single module. An interrupted run keeps its results, and the next run
 * without `--force` continues from there. A value that a module keeps, such as a regular expression built once, hides mutants of the code
 * that builds it: only the first test can find them.
 */
const include = process.env['TESTS']?.split(',') ?? ['packages/core/src/**/*.test.ts', 'packages/core/test/**/*.test.ts']

export default defineConfig({ test: { include, testTimeout: 20_000, isolate: false } })
