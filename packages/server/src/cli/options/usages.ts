import type { ServerDefinition } from '../../mcp/definition.ts'
import { commandsOf, fileOptionsOf } from '../../mcp/extension.ts'
import type { CommandName } from './command-options.ts'

/** `--data-dir DIR` */
export function optionUsage({ name, placeholder }: { readonly name: string; readonly placeholder?: string }): string {
  return placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
}

type CommandOwner = Pick<ServerDefinition<never>, 'name' | 'account' | 'extensions'>

export interface UsageLine {
  readonly usage: string
  readonly description: string
}

/** Each way to use a command, as usage and description. */
type Usages = (definition: CommandOwner) => readonly (readonly [usage: string, description: string])[]

/** In help order. Not loaded at startup. */
export const usages: Readonly<Record<CommandName, Usages>> = {
  stdio: () => [['', 'serve over stdio, as MCP clients expect']],
  http: () => [
    [
      'http [--host 127.0.0.1] [--port 3000] [--allowed-hosts LIST] [--store URL] [--drain-wait SECONDS] [--audit FILE] [--metrics-port N [--metrics-host HOST]] [--check]',
      'serve Streamable HTTP at /mcp, /healthz and /readyz',
    ],
    [
      'http --issuer URL --public-url URL [--authorization-server | --audience LIST] …',
      'the same, but each call acts as the person its token names',
    ],
  ],
  tools: () => [['tools [NAME] [--json]', 'list the tools, or describe one with its parameters and an example']],
  call: (server) => [
    [
      "call <tool> [--NAME VALUE … | '<json>'] [--json] [--idempotency-key KEY]",
      'make one call; arguments are flags (call NAME --help lists them), JSON, or standard input; with --idempotency-key, retries have no further effect',
    ],
    ...fileOptionsOf(server).map(({ usage }) => usage),
  ],
  login: ({ account }) =>
    account
      ? [
          [
            'login [--no-browser] [--scopes LIST] [--port N] [--store URL]',
            `sign in to ${account.provider.name} in a browser; servers then act as you`,
          ],
        ]
      : [],
  logout: ({ account }) => (account ? [['logout [--store URL]', 'sign out and delete the stored login']] : []),
  status: () => [['status [--json] [--store URL] [--issuer URL] [--public-url URL]', 'show what this server is connected to']],
  people: () => [
    [
      'people list [--json] | forget SUBJECT [--issuer URL] [--store URL] [--audit FILE]',
      'list who has connected which account; revoke and delete everything about one person',
    ],
    [
      'people connect CLIENT_ID [--issuer URL] [--store URL] [--audit FILE] [--no-browser] [--scopes LIST] [--port N]',
      'connect an account for a client that calls the server on its own behalf',
    ],
  ],
  vault: () => [
    [
      'vault check [--json] | rotate | renew [--store URL]',
      "check that every row decrypts, and count each key's rows; re-encrypt everything with the first key; revoke all tokens and signing keys of --authorization-server, so everyone signs in again",
    ],
  ],
  doctor: () => [
    [
      'doctor [--json] [--store URL] [--issuer URL --public-url URL [--authorization-server | --audience LIST]]',
      'find what keeps this server from working, and how to fix it',
    ],
  ],
  config: () => [
    [
      'config <client> [NAME=VALUE | NAME …] [--write]',
      'print the configuration for cursor, vscode, zed and others, with these variables and options',
    ],
    ['config <client> URL [--write]', 'the same for a remote server'],
  ],
  completion: () => [['completion bash | zsh | fish', 'print shell completion for commands, tools, flags and values']],
  emulator: () => [['emulator [--port N]', "serve only the emulator of the vendor's API"]],
}

/** Every way to use a server's commands. */
export function usageLines(definition: CommandOwner): UsageLine[] {
  const own = Object.values(commandsOf(definition)).map(({ usage, description }) => [usage, description] as const)
  const lines = [...Object.values(usages).flatMap((usage) => usage(definition)), ...own]
  return lines.map(([usage, description]) => ({ usage: `${definition.name}-mcp ${usage}`.trim(), description }))
}

/** The ways to use one command; empty if this server has no such command. */
export function usagesOf(definition: CommandOwner, command: string): UsageLine[] {
  return usageLines(definition).filter(({ usage }) => usage.split(' ')[1] === command)
}
