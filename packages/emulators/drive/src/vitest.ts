// The fixtures of @mcp-toolkits/drive-emulator/vitest, for test.extend.
import { fixtures, perFile, type Use } from '@mcp-toolkits/emulator/standalone'
import { driveEmulator, type DriveEmulator, type DriveEmulatorOptions } from './library.ts'

/** A test's context. */
export interface DriveContext {
  /** The emulator's options, which `test.override` can change. */
  readonly driveOptions: DriveEmulatorOptions
  /** A new emulator, or the file's emulator after a reset. */
  readonly drive: DriveEmulator
}

/** A test's context in a file whose tests share one emulator. */
export interface DriveFileContext extends DriveContext {
  /** The file's emulator. */
  readonly driveOfFile: DriveEmulator
}

const { opened, reset } = fixtures(driveEmulator)
type Given<Name extends keyof DriveFileContext> = Pick<DriveFileContext, Name>

const open = async ({ driveOptions }: Given<'driveOptions'>, use: Use<DriveEmulator>): Promise<void> => opened(driveOptions, use)

/** Fixtures with a new emulator for each test: `test.extend(driveFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const driveFixtures = (driveOptions: DriveEmulatorOptions = {}) => ({ driveOptions, drive: open })

/**
 * Fixtures with one emulator per file, reset before each test:
 * `test.extend<DriveFileContext>(driveFileFixtures({ seed: 'company' }))`.
 */
export const driveFileFixtures = (options: DriveEmulatorOptions = {}) => ({
  driveOptions: perFile(options),
  driveOfFile: perFile(open),
  drive: async ({ driveOfFile }: Given<'driveOfFile'>, use: Use<DriveEmulator>): Promise<void> => reset(driveOfFile, use),
})
