// The fixtures of @mcp-toolkits/drive-emulator/vitest, for test.extend.
import { driveEmulator, type DriveEmulator, type DriveEmulatorOptions } from './library.ts'

/** Context of a test. */
export interface DriveContext {
  /** The options of the emulator, which `test.override` can change. */
  readonly driveOptions: DriveEmulatorOptions
  /** A new emulator, or the one of the file after a reset. */
  readonly drive: DriveEmulator
}

/** Context of a test in a file that shares one emulator. */
export interface DriveFileContext extends DriveContext {
  /** The emulator of the file. */
  readonly driveOfFile: DriveEmulator
}

type Fixture<Needs extends keyof DriveFileContext> = (
  context: Pick<DriveFileContext, Needs>,
  use: (emulator: DriveEmulator) => Promise<void>,
) => Promise<void>

/** A new emulator for each test. */
export interface DriveFixtures {
  readonly driveOptions: DriveEmulatorOptions
  readonly drive: Fixture<'driveOptions'>
}

/** One emulator for all tests of a file, which is reset before each. */
export interface DriveFileFixtures {
  readonly driveOptions: [DriveEmulatorOptions, { readonly scope: 'file' }]
  readonly driveOfFile: [Fixture<'driveOptions'>, { readonly scope: 'file' }]
  readonly drive: Fixture<'driveOfFile'>
}

const opened: Fixture<'driveOptions'> = async ({ driveOptions }, use) => {
  const emulator = driveEmulator(driveOptions)
  await use(emulator)
  await emulator.close()
}

/** Fixtures with a new emulator for each test: `test.extend(driveFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const driveFixtures = (driveOptions: DriveEmulatorOptions = {}): DriveFixtures => ({ driveOptions, drive: opened })

/**
 * Fixtures with one emulator for each file, which is reset before each test; snapshots stay:
 * `test.extend<DriveFileContext>(driveFileFixtures({ seed: 'company' }))`.
 */
export const driveFileFixtures = (options: DriveEmulatorOptions = {}): DriveFileFixtures => ({
  driveOptions: [options, { scope: 'file' }],
  driveOfFile: [opened, { scope: 'file' }],
  async drive({ driveOfFile }, use) {
    driveOfFile.reset()
    await use(driveOfFile)
  },
})
