import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const isCI = process.env['CI'] === 'true'

/** Long suites run in CI. */
const excluded = ['**/node_modules/**', '**/dist/**', ...(isCI ? [] : ['**/*.long.test.ts'])]

/** The live tests need accounts; see docs/live.md. */
const isLive = process.env['LIVE'] === '1'

const project = (name: string, include: string[], options: { readonly isolate: boolean; readonly globalSetup?: string }) => ({
  extends: true as const,
  test: { name, include, exclude: excluded, ...options },
})

const testsOf = (folder: string) => `e2e/${folder}/*.test.ts`

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // turbo runs two packages at a time: many tests wait for a process or a socket.
    maxWorkers: availableParallelism(),
    // Only the verbose reporter says why a test was skipped.
    reporters: isLive ? ['verbose'] : ['default', 'json'],
    // The tasks of turbo.json write one in each package, for the count of .ci/run.
    outputFile: { json: 'node_modules/.cache/vitest.json' },
    projects: [
      // Modules keep no state, so that files can share them.
      project('unit', ['lint/*.test.ts', 'packages/**/{src,test}/**/*.test.ts'], { isolate: false }),
      project('app', ['apps/*/test/**/*.test.ts'], { isolate: false }),
      project('lab', ['lab/benchmarks/**/*.test.ts'], { isolate: true }),
      project('e2e', ['e2e/*.test.ts'], { isolate: true }),
      // `npm test` leaves these two to CI.
      project('suites', ['reliability', 'exactly-once', 'replicas', 'people', 'workspace', 'telemetry', 'deploy'].map(testsOf), {
        isolate: true,
      }),
      project('packed', ['e2e/packed/*.test.ts'], { isolate: true, globalSetup: 'e2e/packed/pack-once.ts' }),
      ...(isLive ? [project('live', ['lab/live/**/*.test.ts'], { isolate: true })] : []),
    ],
  },
})
