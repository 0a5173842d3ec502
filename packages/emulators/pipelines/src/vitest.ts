// The fixtures of @mcp-toolkits/pipelines-emulator/vitest, for test.extend.
import { fixtures, perFile, type Use } from '@mcp-toolkits/emulator/standalone'
import { pipelinesEmulator, type PipelinesEmulator, type PipelinesEmulatorOptions } from './library.ts'

/** A test's context. */
export interface PipelinesContext {
  /** The emulator's options, which `test.override` can change. */
  readonly pipelinesOptions: PipelinesEmulatorOptions
  /** A new emulator, or the file's emulator after a reset. */
  readonly pipelines: PipelinesEmulator
}

/** A test's context in a file whose tests share one emulator. */
export interface PipelinesFileContext extends PipelinesContext {
  /** The file's emulator. */
  readonly pipelinesOfFile: PipelinesEmulator
}

const { opened, reset } = fixtures(pipelinesEmulator)
type Given<Name extends keyof PipelinesFileContext> = Pick<PipelinesFileContext, Name>

const open = async ({ pipelinesOptions }: Given<'pipelinesOptions'>, use: Use<PipelinesEmulator>): Promise<void> =>
  opened(pipelinesOptions, use)

/** Fixtures with a new emulator for each test: `test.extend(pipelinesFixtures({ seed: 'empty' }))`. It is in memory unless `file` is given. */
export const pipelinesFixtures = (pipelinesOptions: PipelinesEmulatorOptions = {}) => ({ pipelinesOptions, pipelines: open })

/**
 * Fixtures with one emulator per file, reset before each test:
 * `test.extend<PipelinesFileContext>(pipelinesFileFixtures({ seed: 'company' }))`.
 */
export const pipelinesFileFixtures = (options: PipelinesEmulatorOptions = {}) => ({
  pipelinesOptions: perFile(options),
  pipelinesOfFile: perFile(open),
  pipelines: async ({ pipelinesOfFile }: Given<'pipelinesOfFile'>, use: Use<PipelinesEmulator>): Promise<void> =>
    reset(pipelinesOfFile, use),
})
