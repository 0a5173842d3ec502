import envPaths from 'env-paths'
import type { CommandDefinition } from './definition.ts'
import { type CommandProcess, runCommand } from './run.ts'

export type { CommandDefinition, CommandEmulator, OpenCommandOptions } from './definition.ts'
export { hostProblem } from '../webhooks/addresses.ts'

/** What one emulator says about its command; the rest follows from its name. */
export type CommandDescription = Omit<CommandDefinition, 'dataDirectory' | 'variable'>

export interface InstalledProgram extends CommandProcess {
  readonly versions: { readonly node: string }
}

/** Runs the command of an emulator. Its data are in a directory of its name, which no server uses. */
export async function runEmulatorCommand(description: CommandDescription, program: InstalledProgram): Promise<number> {
  const { name } = description
  const [major = 0, minor = 0] = program.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 19)) {
    program.stderr.write(`${name} needs Node 22.19 or later, and this is ${program.versions.node}: see https://nodejs.org/en/download\n`)
    return 1
  }
  const dataDirectory = envPaths(name, { suffix: '' }).data
  const variable = `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`
  return runCommand({ ...description, dataDirectory, variable }, program)
}
