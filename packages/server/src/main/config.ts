import path from 'node:path'
import { quoted } from '../accounts/command-line.ts'
import type { ServerDefinition } from '../definition.ts'
import type { Command } from './cli.ts'
import { print } from './console.ts'
import { UsageError } from './usage.ts'

interface Start {
  readonly command: string
  readonly args: readonly string[]
}

interface Client {
  /** Where the text goes. */
  readonly where: string
  readonly text: (name: string, start: Start) => string
}

const mcpServers = (name: string, { command, args }: Start) => JSON.stringify({ mcpServers: { [name]: { command, args } } }, null, 2)

const clients: Readonly<Record<string, Client>> = {
  'claude-desktop': { where: 'claude_desktop_config.json (Settings, Developer, Edit Config)', text: mcpServers },
  'claude-code': {
    where: 'a shell, once',
    text: (name, { command, args }) => ['claude', 'mcp', 'add', name, '--', command, ...args].map(quoted).join(' '),
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
export const config: Command = async (definition, { operands }, console) => {
  const client = clients[operands[0] ?? '']
  if (!client || operands.length > 1) throw new UsageError(`config needs one client: ${Object.keys(clients).join(', ')}.`)
  await print(console.errors, `Put this into ${client.where}. ${definition.connectHint}`)
  await print(console.output, client.text(definition.nickname, start(definition, console.program)))
  return 0
}

/** From an installed package the npx line, which updates itself; from a clone the very Node and file that run now. */
function start({ name }: Pick<ServerDefinition<never>, 'name'>, program: string): Start {
  const installed = program.split(path.sep).includes('node_modules')
  return installed ? { command: 'npx', args: ['-y', `@mcp-toolkits/${name}`] } : { command: process.execPath, args: [program] }
}
