import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

const isCI = process.env['CI'] === 'true'

/** Long suites run only in CI, and the longest only once a week. */
const excluded = [
  '**/node_modules/**',
  '**/dist/**',
  ...(isCI ? [] : ['**/*.long.test.ts']),
  ...(process.env['LONG'] === 'full' ? [] : ['**/*.weekly.test.ts']),
]

/** The live tests need accounts; see docs/live.md. */
const isLive = process.env['LIVE'] === '1'

const memory = '/dev/shm'
const freeBytes = () => {
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize
}
/** Folder for the files of tests, in memory if there is room: on a disk, SQLite and PostgreSQL would wait at each write. */
const temporary = mkdtempSync(path.join(existsSync(memory) && freeBytes() > 4 * 1024 ** 3 ? memory : tmpdir(), 'mcp-'))
// If the tests run as root, PostgreSQL runs as another user.
chmodSync(temporary, 0o711)
process.once('exit', () => {
  rmSync(temporary, { recursive: true, force: true })
})

const project = (
  name: string,
  include: string[],
  options: { readonly isolate: boolean; readonly globalSetup?: string; readonly setupFiles?: string },
) => ({
  extends: true as const,
  test: { name, include, exclude: excluded, ...options },
})

const suites = ['apps', 'reliability', 'exactly-once', 'replicas', 'people', 'workspace', 'telemetry', 'deploy']
const testsOf = (folder: string) => `e2e/${folder}/*.test.ts`

export default defineConfig({
  test: {
    env: { TMPDIR: temporary },
    // It ends what hangs, and is no measure of speed: the long forms of CI take a minute on a machine that is shared.
    testTimeout: isCI ? 180_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: isCI ? 60_000 : 15_000 } },
    // Every processor, although turbo runs two packages at a time: many tests only wait for a process or a socket. The suites, which run
    // last and alone, have a third worker.
    maxWorkers: availableParallelism(),
    // Only the verbose reporter says why a test was skipped.
    reporters: isLive ? ['verbose'] : ['default', 'json'],
    // Each task in turbo.json writes one in its package; .ci/run counts the tests in them.
    outputFile: { json: 'node_modules/.cache/vitest.json' },
    projects: [
      // Modules keep no state, so test files can share them.
      project('unit', ['{lint,scripts/reference}/*.test.ts', 'packages/**/{src,test}/**/*.test.ts'], {
        isolate: false,
        setupFiles: 'packages/core/test/property-runs.ts',
      }),
      project('app', ['apps/*/test/**/*.test.ts'], { isolate: false, setupFiles: 'packages/core/test/property-runs.ts' }),
      project('lab', ['lab/{benchmarks,tasks}/**/!(*.long|*.weekly).test.ts'], { isolate: true }),
      project('e2e', ['e2e/!(*.long|*.weekly).test.ts'], { isolate: true }),
      // `npm test` leaves these two to CI: they need the bundles.
      project('suites', [...suites.map(testsOf), 'e2e/*.{long,weekly}.test.ts', 'lab/{benchmarks,tasks}/**/*.{long,weekly}.test.ts'], {
        isolate: true,
      }),
      project('packed', ['e2e/packed/*.test.ts'], { isolate: true, globalSetup: 'e2e/packed/pack-once.ts' }),
      ...(isLive ? [project('live', ['lab/live/**/*.test.ts'], { isolate: true })] : []),
    ],
  },
})
