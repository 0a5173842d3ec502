// The fixtures of @mcp-toolkits/drive-emulator/vitest, for test.extend.
import { fixtures, perFile, type Use } from '@mcp-toolkits/emulator/standalone'
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

const { opened, reset } = fixtures(driveEmulator)
type Given<Name extends keyof DriveFileContext> = Pick<DriveFileContext, Name>

const open = async ({ driveOptions }: Given<'driveOptions'>, use: Use<DriveEmulator>): Promise<void> => opened(driveOptions, use)

/** Fixtures with a new emulator for each test: `test.extend(driveFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const driveFixtures = (driveOptions: DriveEmulatorOptions = {}) => ({ driveOptions, drive: open })

/**
 * Fixtures with one emulator for each file, which is reset before each test:
 * `test.extend<DriveFileContext>(driveFileFixtures({ seed: 'company' }))`.
 */
export const driveFileFixtures = (options: DriveEmulatorOptions = {}) => ({
  driveOptions: perFile(options),
  driveOfFile: perFile(open),
  drive: async ({ driveOfFile }: Given<'driveOfFile'>, use: Use<DriveEmulator>): Promise<void> => reset(driveOfFile, use),
})
