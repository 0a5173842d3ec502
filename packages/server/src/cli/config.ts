import { realpathSync } from 'node:fs'
import path from 'node:path'
import { shellQuote } from '@mcp-toolkits/auth/account'
import type { ServerDefinition } from '../definition.ts'
import { print, UsageError, type Command } from './command.ts'

/** How a client starts a server. */
export interface StartCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** A client and what its configuration looks like. */
interface Client {
  /** Where the text goes. */
  readonly where: string
  readonly text: (name: string, startCommand: StartCommand) => string
}

const mcpServers = (name: string, { command, args }: StartCommand) => JSON.stringify({ mcpServers: { [name]: { command, args } } }, null, 2)

export const clients: Readonly<Record<string, Client>> = {
  'claude-desktop': { where: 'claude_desktop_config.json (Settings, Developer, Edit Config)', text: mcpServers },
  'claude-code': {
    where: 'a shell, once',
    text: (name, { command, args }) => ['claude', 'mcp', 'add', name, '--', command, ...args].map(shellQuote).join(' '),
  },
  cursor: { where: '~/.cursor/mcp.json', text: mcpServers },
  vscode: {
    where: '.vscode/mcp.json',
    text: (name, { command, args }) => JSON.stringify({ servers: { [name]: { type: 'stdio', command, args } } }, null, 2),
  },
  codex: {
    where: '~/.codex/config.toml',
    text: (name, { command, args }) => `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
}

/** Prints the configuration of one client, and on standard error where to put it. */
export const config: Command = async (definition, { operands, forwarded }, console) => {
  const [name = ''] = operands
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (!client || operands.length > 1) throw new UsageError(`config needs one client: ${Object.keys(clients).join(', ')}.`)
  await print(console.errors, `Put this into ${client.where}. ${definition.connectHint}`)
  const { command, args } = start(definition, console.program)
  await print(console.output, client.text(definition.shortName, { command, args: [...args, ...forwarded] }))
  return 0
}

/** For an installed package the npx command, which stays up to date; for a clone this Node and this file. */
function start({ name }: Pick<ServerDefinition<never>, 'name'>, program: string): StartCommand {
  // A global installation runs the program through a link.
  const isInstalled = [program, realpathSync(program)].some((file) => file.split(path.sep).includes('node_modules'))
  return isInstalled ? npxCommand(name) : { command: process.execPath, args: [program] }
}

/** Starts the published package of a server. */
export function npxCommand(name: string): StartCommand {
  return { command: 'npx', args: ['-y', `@mcp-toolkits/${name}`] }
}
