import { isObject, parseJson } from '@mcp-toolkits/core/base'
import type { Settings } from '../../mcp/definition.ts'
import type { AppCommand } from '../../mcp/extension.ts'
import type { SharedStore } from '../../storage/shared-store.ts'
import { type HostedServer, teamOf } from '../../team.ts'
import { type CommandLine, type Console, print, printJson } from '../command.ts'
import { printAccountNote } from './status.ts'

/** Runs a command that only this server has. Resolves with the exit code. */
export async function runAppCommand<Context>(
  definition: HostedServer<Context>,
  command: AppCommand,
  { line, console }: { readonly line: CommandLine; readonly console: Console },
): Promise<number> {
  const { operands, json } = line
  if (line.issuer !== undefined) await printAccountNote(definition, line, console)
  const run = (settings: Settings, shared?: SharedStore) => command.run(settings, operands, { json, ...(shared && { shared }) })
  const { code, text } =
    command.options?.includes('store') === true && line.store !== undefined
      ? await (await teamOf(definition)).withStore(definition, line, run)
      : await run(line.settings)
  const stream = code === 0 ? console.output : console.errors
  const value = json ? parseJson(text) : undefined
  await (isObject(value) ? printJson(stream, value, 2) : print(stream, text))
  return code
}
