import { defineConfig } from 'vitest/config'

/** Suites that take minutes run where every change must pass them. */
const everyday = process.env['CI'] === 'true' ? [] : ['**/*.long.test.ts']

/** Asks real vendors on real accounts; see docs/live.md. */
const live = process.env['LIVE'] === '1'

const project = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: ['**/node_modules/**', '**/dist/**', ...everyday, ...exclude] },
})

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Only the verbose reporter says why a test was skipped.
    reporters: live ? ['verbose'] : ['default', ['json', { outputFile: 'node_modules/.cache/vitest.json' }]],
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts']),
      project('app', ['apps/*/test/**/*.test.ts']),
      project('e2e', ['e2e/**/*.test.ts']),
      ...(live ? [project('live', ['live/**/*.test.ts'])] : []),
    ],
  },
})
