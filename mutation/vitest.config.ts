import { defineConfig } from 'vitest/config'

/** The tests of core; TESTS names some of them, so that one module is quicker. */
const include = process.env['TESTS']?.split(',') ?? ['packages/core/src/**/*.test.ts', 'packages/core/test/**/*.test.ts']

export default defineConfig({ test: { include, testTimeout: 20_000, isolate: false } })
