// The fixtures of @mcp-toolkits/pipelines-emulator/vitest, for test.extend.
import { pipelinesEmulator, type PipelinesEmulator, type PipelinesEmulatorOptions } from './library.ts'

/** Context of a test. */
export interface PipelinesContext {
  /** The options of the emulator, which `test.override` can change. */
  readonly pipelinesOptions: PipelinesEmulatorOptions
  /** A new emulator, or the one of the file after a reset. */
  readonly pipelines: PipelinesEmulator
}

/** Context of a test in a file that shares one emulator. */
export interface PipelinesFileContext extends PipelinesContext {
  /** The emulator of the file. */
  readonly pipelinesOfFile: PipelinesEmulator
}

type Fixture<Needs extends keyof PipelinesFileContext> = (
  context: Pick<PipelinesFileContext, Needs>,
  use: (emulator: PipelinesEmulator) => Promise<void>,
) => Promise<void>

/** A new emulator for each test. */
export interface PipelinesFixtures {
  readonly pipelinesOptions: PipelinesEmulatorOptions
  readonly pipelines: Fixture<'pipelinesOptions'>
}

/** One emulator for all tests of a file, which is reset before each. */
export interface PipelinesFileFixtures {
  readonly pipelinesOptions: [PipelinesEmulatorOptions, { readonly scope: 'file' }]
  readonly pipelinesOfFile: [Fixture<'pipelinesOptions'>, { readonly scope: 'file' }]
  readonly pipelines: Fixture<'pipelinesOfFile'>
}

const opened: Fixture<'pipelinesOptions'> = async ({ pipelinesOptions }, use) => {
  const emulator = pipelinesEmulator(pipelinesOptions)
  await use(emulator)
  await emulator.close()
}

/** Fixtures with a new emulator for each test: `test.extend(pipelinesFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const pipelinesFixtures = (pipelinesOptions: PipelinesEmulatorOptions = {}): PipelinesFixtures => ({
  pipelinesOptions,
  pipelines: opened,
})

/**
 * Fixtures with one emulator for each file, which is reset before each test; snapshots stay:
 * `test.extend<PipelinesFileContext>(pipelinesFileFixtures({ seed: 'company' }))`.
 */
export const pipelinesFileFixtures = (options: PipelinesEmulatorOptions = {}): PipelinesFileFixtures => ({
  pipelinesOptions: [options, { scope: 'file' }],
  pipelinesOfFile: [opened, { scope: 'file' }],
  async pipelines({ pipelinesOfFile }, use) {
    pipelinesOfFile.reset()
    await use(pipelinesOfFile)
  },
})
