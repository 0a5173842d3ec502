import envPaths from 'env-paths'
import type { CommandDefinition } from './definition.ts'
import { type CommandProcess, runCommand } from './run.ts'

export type { CommandDefinition, CommandEmulator, OpenCommandOptions } from './definition.ts'

/** What one emulator says about its command; the rest follows from its name. */
export type CommandDescription = Omit<CommandDefinition, 'dataDirectory' | 'variable'>

/** Runs the command of an emulator. Its data are in a directory of its name, which no server uses. */
export async function runEmulatorCommand(description: CommandDescription, process: CommandProcess): Promise<number> {
  const { name } = description
  const dataDirectory = envPaths(name, { suffix: '' }).data
  const variable = `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`
  return runCommand({ ...description, dataDirectory, variable }, process)
}
