import process from 'node:process'
import type { CommandDescription } from './command.ts'

const minNodeVersion = [22, 19] as const

/**
 * Starts an emulator's command. Runs before anything else is loaded, so that an old Node, which lacks node:sqlite, prints one clear line
 * instead of a stack trace.
 */
export async function launch(name: string, load: () => Promise<CommandDescription>): Promise<void> {
  const { stderr, versions } = process
  const [major = 0, minor = 0] = versions.node.split('.').map(Number)
  if (major < minNodeVersion[0] || (major === minNodeVersion[0] && minor < minNodeVersion[1])) {
    stderr.write(
      `${name} needs Node ${minNodeVersion.join('.')} or later, and this is ${versions.node}: see https://nodejs.org/en/download\n`,
    )
    process.exitCode = 1
    return
  }
  const [{ runEmulatorCommand }, description] = await Promise.all([import('./command.ts'), load()])
  process.exitCode = await runEmulatorCommand(description, process)
}
