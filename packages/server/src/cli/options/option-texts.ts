import type { ServerDefinition } from '../../mcp/definition.ts'
import type { Extended } from '../../mcp/extension.ts'
import type { DescribedOption, OptionText, Variable } from './option.ts'
import { type OptionKey, optionsOf } from './option-table.ts'

/** Absent for --help and --version. */
const texts: Readonly<Partial<Record<OptionKey, OptionText>>> = {
  embedded: {
    help: 'use the embedded default even if an account is configured; MCP_TOOLKITS_EMBEDDED=0 never uses it',
    form: {
      title: 'Sample data',
      description: (embeddedDescription) => `On: ${embeddedDescription}, to try everything without an account. Off: your account.`,
      defaultValue: true,
      variable: { description: '1: always the embedded default; 0: never; unset: only if no account is configured.' },
    },
  },
  dataDirectory: {
    placeholder: 'DIR',
    help: 'where logins, embedded data and unfinished work are stored',
  },
  seed: {
    placeholder: 'SEED',
    help: 'what the embedded default starts with: company (the default), edge-cases, empty, or a FILE of YAML or JSON; existing data stays',
  },
  profile: {
    placeholder: 'NAME',
    help: 'use the login of this name instead of "default"',
  },
  readOnly: {
    help: 'refuse every write',
    form: {
      title: 'Read only',
      description: () => 'Refuse every write, and list only the tools that read.',
      defaultValue: false,
      variable: { description: '1: refuse every write, and list only the tools that read.', defaultValue: '0' },
    },
  },
  toolsets: {
    placeholder: 'LIST',
    help: 'add these groups of tools, or all of them; `tools` names the groups',
  },
  tools: {
    placeholder: 'LIST',
    help: 'offer only these tools',
  },
  toolNames: {
    placeholder: 'MODE',
    help: 'safe (Prefix_Name, the default) or canonical (Prefix.Name)',
  },
  apps: {
    placeholder: 'on|off',
    help: 'off: show no apps in clients that have them, such as the board of issues; default: on',
  },
  questionSeconds: {
    placeholder: 'N',
    help: 'seconds to wait when a tool asks you something; 0 never asks; default: 45, or 600 if the call need not stay open',
  },
  logLevel: {
    placeholder: 'LEVEL',
    help: 'silent, error, warn, info (the default) or debug; on standard error',
  },
  host: {
    placeholder: 'HOST',
    help: 'the address to listen on; default: 127.0.0.1',
    isInUsage: true,
  },
  port: {
    placeholder: 'N',
    help: 'the port to listen on; default: 3000 for http, otherwise any free one',
    isInUsage: true,
  },
  allowedHosts: {
    placeholder: 'LIST',
    help: 'the host names that clients use; needed if other machines can reach --host',
    isInUsage: true,
  },
  store: {
    placeholder: 'URL',
    help: 'the PostgreSQL database that all replicas share, such as postgres://host/database',
  },
  issuer: {
    placeholder: 'URL',
    help: 'the identity provider of your company: each call then acts as the person its token names',
  },
  publicUrl: {
    placeholder: 'URL',
    help: 'with --issuer: where people and clients reach the server, such as https://files.example.com',
  },
  authorizationServer: {
    help: 'with --issuer: issue the tokens here, if the identity provider cannot',
  },
  audience: {
    placeholder: 'LIST',
    help: 'with --issuer: the audiences to accept in tokens; default: the public URL with /mcp',
  },
  audit: {
    placeholder: 'FILE',
    help: 'write one line of JSON about each call to a file; - is standard error',
  },
  metricsPort: {
    placeholder: 'N',
    help: 'serve metrics for Prometheus at /metrics on this port',
  },
  metricsHost: {
    placeholder: 'HOST',
    help: 'with --metrics-port: the address to serve them on; default: 127.0.0.1',
  },
  drainWait: {
    placeholder: 'SECONDS',
    help: 'how long /readyz answers 503 before http stops; default: 5 with --store, otherwise 0',
  },
  check: {
    help: 'say what http would serve, without serving; exit code 2 if it could not',
  },
  idempotencyKey: {
    placeholder: 'KEY',
    help: 'a name for this call: a repeat with the same key returns the first result',
    isInUsage: true,
  },
  scopes: {
    placeholder: 'LIST',
    help: 'the scopes to ask for, comma-separated; default: those that the tools need',
    isInUsage: true,
  },
  noBrowser: {
    help: 'print the address of the sign-in instead of opening a browser',
    isInUsage: true,
  },
  json: {
    help: 'print JSON, for programs',
    isInUsage: true,
  },
  write: {
    help: "write it into the client's file",
    isInUsage: true,
  },
}

/** Variables of every server that have no option. */
export const sharedVariables: readonly Variable[] = [
  { name: 'MCP_TOOLKITS_HTTP_TOKEN', description: 'The bearer token that clients of the HTTP server send.', secret: true },
  {
    name: 'MCP_TOOLKITS_VAULT_KEYS',
    description:
      'Keys that encrypt the --store database and what people grant: id:base64 of 32 bytes, comma-separated. New data uses the first.',
    secret: true,
  },
  {
    name: 'MCP_TOOLKITS_SIGN_IN_CLIENT_ID',
    description: 'With --issuer: the id of this server as a client of the identity provider.',
  },
  { name: 'MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET', description: 'The secret of that client, if it has one.', secret: true },
  {
    name: 'MCP_TOOLKITS_SCOPES',
    description:
      'With --issuer: the names of the scopes, if they differ from <server>:read, <server>:write and <server>:delete: read=…,write=…,delete=…',
  },
  {
    name: 'MCP_TOOLKITS_SUBJECT_CLAIM',
    description: 'With --issuer: the claim that identifies a person, if sub differs from client to client.',
    defaultValue: 'sub',
  },
  {
    name: 'MCP_TOOLKITS_KEYS',
    description: 'With --issuer, for a server that uses an API key: deployment (one key for all) or person (each enters their own).',
    choices: ['deployment', 'person'],
    defaultValue: 'deployment',
  },
]

/** The options of a server, in the order of the help. */
export function describedOptions(server: Extended = {}): readonly DescribedOption[] {
  const described = new Map<string, OptionText>(Object.entries(texts))
  return optionsOf(server).flatMap(([key, option]) => {
    const text = isDescribed(option) ? option : described.get(key)
    return text ? [{ ...option, ...text }] : []
  })
}

const isDescribed = (option: object): option is DescribedOption => 'help' in option

/** The options of single commands that their usage does not explain, each with its variable. */
export function commandOptions(): readonly DescribedOption[] {
  return describedOptions().filter(({ isGeneral, isInUsage }) => isGeneral !== true && isInUsage !== true)
}

/** The options that go with every command of a server, each with its variable. */
export function generalOptions(server: Pick<ServerDefinition<never>, 'account' | 'extensions'>): readonly DescribedOption[] {
  return describedOptions(server).filter(
    ({ isGeneral, needsAccount }) => isGeneral === true && (!needsAccount || server.account !== undefined),
  )
}
