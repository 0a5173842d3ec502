import type { AppCommand, ServerDefinition } from '../definition.ts'
import type { OptionKey } from '../options.ts'
import type { Command } from './command.ts'

type CommandOwner = Pick<ServerDefinition<never>, 'name' | 'commands' | 'account' | 'downloads' | 'privateUrlsVariable'>

/** A usage and what it does, for the help. */
export interface UsageLine {
  readonly usage: string
  readonly description: string
}

interface CommandEntry {
  /** The options that go with this command and not with every one. */
  readonly options?: readonly OptionKey[]
  readonly help: (definition: CommandOwner) => readonly (readonly [usage: string, description: string])[]
  readonly load: () => Promise<Command>
}

/** Every command, in the order of the help; its module is loaded when the command runs. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  stdio: {
    help: () => [['', 'serve over stdio: what an MCP client starts']],
    load: async () => (await import('./serve.ts')).stdio,
  },
  http: {
    options: ['host', 'port', 'allowedHosts', 'store', 'drainWait', 'check', 'issuer', 'publicUrl', 'audience'],
    help: () => [
      [
        'http [--host 127.0.0.1] [--port 3000] [--allowed-hosts LIST] [--store URL] [--drain-wait SECONDS] [--check]',
        'serve Streamable HTTP at /mcp, /healthz and /readyz',
      ],
      ['http --issuer URL --public-url URL [--audience LIST] …', 'the same, where each call acts as the person of its token'],
    ],
    load: async () => (await import('./http.ts')).http,
  },
  tools: {
    options: ['json'],
    help: () => [['tools [--json]', 'list the tools']],
    load: async () => (await import('./call.ts')).tools,
  },
  call: {
    options: ['idempotencyKey', 'output'],
    help: ({ downloads }) => [
      ["call <tool> ['<json>'] [--idempotency-key KEY]", 'one call; arguments as JSON or on standard input; a key makes it count once'],
      ...(downloads ? [[`call ${downloads.whole} '<json>' --output FILE`, 'write the whole content to a new file'] as const] : []),
    ],
    load: async () => (await import('./call.ts')).call,
  },
  login: {
    options: ['noBrowser', 'scopes', 'port', 'store'],
    help: ({ account }) =>
      account
        ? [
            [
              'login [--no-browser] [--scopes LIST] [--port N] [--store URL]',
              `sign in to ${account.provider.name} in a browser; servers then act as you`,
            ],
          ]
        : [],
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    options: ['store'],
    help: ({ account }) => (account ? [['logout [--store URL]', 'end the login and forget it']] : []),
    load: async () => (await import('./login.ts')).logout,
  },
  status: {
    options: ['json', 'store'],
    help: () => [['status [--json] [--store URL]', 'what this server is connected to']],
    load: async () => (await import('./status.ts')).status,
  },
  people: {
    options: ['json', 'issuer', 'store'],
    help: () => [
      [
        'people list [--json] | forget SUBJECT [--issuer URL] [--store URL]',
        'who has connected what to a server for many people; revoke and delete all that is stored about one of them',
      ],
    ],
    load: async () => (await import('./people.ts')).people,
  },
  vault: {
    options: ['json', 'store'],
    help: () => [
      [
        'vault check [--json] | rotate [--store URL]',
        'open every encrypted row and count the rows of each key; encrypt with the first key what others have encrypted',
      ],
    ],
    load: async () => (await import('./vault.ts')).vault,
  },
  config: {
    help: () => [['config <client>', 'configuration for claude-desktop, claude-code, cursor, vscode or codex, with the options given']],
    load: async () => (await import('./config.ts')).config,
  },
  emulator: {
    options: ['port'],
    help: () => [['emulator [--port N]', 'serve only the embedded vendor API']],
    load: async () => (await import('./serve.ts')).emulator,
  },
}

/** The names that a person can type, the server's own commands included. */
export function commandNames(own: Readonly<Record<string, AppCommand>> = {}): string[] {
  return [...Object.keys(commands).filter((name) => name !== 'stdio'), ...Object.keys(own)]
}

/** The commands that an option goes with; undefined when it goes with every one. */
export function commandsWith(key: string, own: Readonly<Record<string, AppCommand>> = {}): string[] | undefined {
  const names = Object.entries(commands).flatMap(([name, entry]) => (entry.options?.some((each) => each === key) ? [name] : []))
  if (names.length === 0) return undefined
  const isTaken = ({ takesJson = false, takesStore = false }: AppCommand) =>
    (key === 'json' && takesJson) || (key === 'store' && takesStore)
  const ownNames = Object.entries(own).flatMap(([name, command]) => (isTaken(command) ? [name] : []))
  return [...names, ...ownNames]
}

/** Every way to use a server's command. */
export function usageLines(definition: CommandOwner): UsageLine[] {
  const own = Object.values(definition.commands ?? {}).map(({ usage, description }) => [usage, description] as const)
  const lines = [...Object.values(commands).flatMap(({ help }) => help(definition)), ...own]
  return lines.map(([usage, description]) => ({ usage: `${definition.name}-mcp ${usage}`.trim(), description }))
}
