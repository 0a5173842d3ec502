// The fixtures of @mcp-toolkits/linear-emulator/vitest, for test.extend.
import { linearEmulator, type LinearEmulator, type LinearEmulatorOptions } from './library.ts'

/** Context of a test. */
export interface LinearContext {
  /** The options of the emulator, which `test.override` can change. */
  readonly linearOptions: LinearEmulatorOptions
  /** A new emulator, or the one of the file after a reset. */
  readonly linear: LinearEmulator
}

/** Context of a test in a file that shares one emulator. */
export interface LinearFileContext extends LinearContext {
  /** The emulator of the file. */
  readonly linearOfFile: LinearEmulator
}

type Fixture<Needs extends keyof LinearFileContext> = (
  context: Pick<LinearFileContext, Needs>,
  use: (emulator: LinearEmulator) => Promise<void>,
) => Promise<void>

/** A new emulator for each test. */
export interface LinearFixtures {
  readonly linearOptions: LinearEmulatorOptions
  readonly linear: Fixture<'linearOptions'>
}

/** One emulator for all tests of a file, which is reset before each. */
export interface LinearFileFixtures {
  readonly linearOptions: [LinearEmulatorOptions, { readonly scope: 'file' }]
  readonly linearOfFile: [Fixture<'linearOptions'>, { readonly scope: 'file' }]
  readonly linear: Fixture<'linearOfFile'>
}

const opened: Fixture<'linearOptions'> = async ({ linearOptions }, use) => {
  const emulator = linearEmulator(linearOptions)
  await use(emulator)
  await emulator.close()
}

/** Fixtures with a new emulator for each test: `test.extend(linearFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const linearFixtures = (linearOptions: LinearEmulatorOptions = {}): LinearFixtures => ({ linearOptions, linear: opened })

/**
 * Fixtures with one emulator for each file, which is reset before each test; snapshots stay:
 * `test.extend<LinearFileContext>(linearFileFixtures({ seed: 'company' }))`.
 */
export const linearFileFixtures = (options: LinearEmulatorOptions = {}): LinearFileFixtures => ({
  linearOptions: [options, { scope: 'file' }],
  linearOfFile: [opened, { scope: 'file' }],
  async linear({ linearOfFile }, use) {
    linearOfFile.reset()
    await use(linearOfFile)
  },
})
