// The fixtures of @mcp-toolkits/linear-emulator/vitest, for test.extend.
import { fixtures, perFile, type Use } from '@mcp-toolkits/emulator/standalone'
import { linearEmulator, type LinearEmulator, type LinearEmulatorOptions } from './library.ts'

/** A test's context. */
export interface LinearContext {
  /** The emulator's options, which `test.override` can change. */
  readonly linearOptions: LinearEmulatorOptions
  /** A new emulator, or the file's emulator after a reset. */
  readonly linear: LinearEmulator
}

/** A test's context in a file whose tests share one emulator. */
export interface LinearFileContext extends LinearContext {
  /** The file's emulator. */
  readonly linearOfFile: LinearEmulator
}

const { opened, reset } = fixtures(linearEmulator)
type Given<Name extends keyof LinearFileContext> = Pick<LinearFileContext, Name>

const open = async ({ linearOptions }: Given<'linearOptions'>, use: Use<LinearEmulator>): Promise<void> => opened(linearOptions, use)

/** Fixtures with a new emulator for each test: `test.extend(linearFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const linearFixtures = (linearOptions: LinearEmulatorOptions = {}) => ({ linearOptions, linear: open })

/**
 * Fixtures with one emulator per file, reset before each test:
 * `test.extend<LinearFileContext>(linearFileFixtures({ seed: 'company' }))`.
 */
export const linearFileFixtures = (options: LinearEmulatorOptions = {}) => ({
  linearOptions: perFile(options),
  linearOfFile: perFile(open),
  linear: async ({ linearOfFile }: Given<'linearOfFile'>, use: Use<LinearEmulator>): Promise<void> => reset(linearOfFile, use),
})
