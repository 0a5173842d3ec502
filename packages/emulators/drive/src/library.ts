// Entry point for programs that install @mcp-toolkits/drive-emulator; servers bundle index.ts.
import { type SeedContents, standalone, type StandaloneOptions, type TestControls } from '@mcp-toolkits/emulator/standalone'
import { checkHosts } from '@mcp-toolkits/emulator'
import * as emulator from './emulator.ts'
import { openContentSnapshots } from './content/content-snapshots.ts'
import { driveSeedSchema } from './seed/schema.ts'
import type { DriveSettings } from './settings.ts'
import * as seeds from './seed/seeds.ts'

export type { FaultAction, FaultRule, Faults, Fetch, ListenOptions, LoggedRequest } from '@mcp-toolkits/emulator'
export type { EmulatorClock, SeedContents, SnapshotDiff } from '@mcp-toolkits/emulator/standalone'
export type { DriveMutation } from './changes/mutations.ts'
export type { DriveReaders } from './readers.ts'
export type { DriveMail } from './sharing/mails.ts'
export type { DriveSettings } from './settings.ts'
export type { Item } from './store/items.ts'
export type { DriveSeed as SharedDriveSeed, ItemSeed } from './seed/builder.ts'

/** A new account's content: the name of a seed, or the content of a seed file. */
export type DriveSeed = seeds.DriveSeedName | SeedContents

/** Location and initial content of the data, and behaviour of the emulated Drive. */
export interface DriveEmulatorOptions extends StandaloneOptions<DriveSeed>, DriveSettings {}

/** A local Google Drive. */
export interface DriveEmulator extends emulator.DriveEmulator, TestControls {}

/**
 * Opens a local Google Drive; in memory unless `file` is given. Throws `SeedError` for contents that do not match the schema, and
 * `TypeError` for invalid hosts in `webhooksTo`.
 */
export function driveEmulator({ file, seed, at, ...settings }: DriveEmulatorOptions = {}): DriveEmulator {
  checkHosts(settings.webhooksTo)
  return standalone({ file, seed, at }, driveSeedSchema, (options) => {
    const { contents, ...opened } = emulator.openDrive({ ...settings, ...options })
    const { close, ...snapshots } = openContentSnapshots(opened.database, contents)
    return {
      ...opened,
      ...snapshots,
      async close() {
        try {
          close()
        } finally {
          await opened.close()
        }
      },
    }
  })
}

/** Reads a seed, given the name of a built-in one or the path of a YAML or JSON file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<DriveSeed> {
  return seeds.readSeed(text)
}
