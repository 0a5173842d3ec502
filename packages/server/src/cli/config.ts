import { realpathSync } from 'node:fs'
import path from 'node:path'
import { shellQuote } from '@mcp-toolkits/auth/account'
import type { ServerDefinition } from '../definition.ts'
import { print, UsageError, type Command } from './command.ts'

/** How a client starts a server. */
export interface Start {
  readonly command: string
  readonly args: readonly string[]
}

/** A client and what its configuration looks like. */
interface Client {
  /** Where the text goes. */
  readonly where: string
  readonly text: (name: string, start: Start) => string
}

const mcpServers = (name: string, { command, args }: Start) => JSON.stringify({ mcpServers: { [name]: { command, args } } }, null, 2)

/** The clients that `config` knows. */
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

/** Prints the configuration of one client; where it goes, on standard error. */
export const config: Command = async (definition, { operands, forwarded: given }, console) => {
  const [name = ''] = operands
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (!client || operands.length > 1) throw new UsageError(`config needs one client: ${Object.keys(clients).join(', ')}.`)
  await print(console.errors, `Put this into ${client.where}. ${definition.connectHint}`)
  const { command, args } = start(definition, console.program)
  await print(console.output, client.text(definition.shortName, { command, args: [...args, ...given] }))
  return 0
}

/** From an installed package the npx line, which updates itself; from a clone the very Node and file that run now. */
function start({ name }: Pick<ServerDefinition<never>, 'name'>, program: string): Start {
  // A global installation starts it by a link.
  const isInstalled = [program, realpathSync(program)].some((file) => file.split(path.sep).includes('node_modules'))
  return isInstalled ? published(name) : { command: process.execPath, args: [program] }
}

/** How the published package of a server is started. */
export function published(name: string): Start {
  return { command: 'npx', args: ['-y', `@mcp-toolkits/${name}`] }
}
