import type { ServerDefinition } from '../../mcp/definition.ts'
import type { Extended } from '../../mcp/extension.ts'
import type { DescribedOption, Variable } from './option.ts'
import { type OptionKey, optionsOf } from './option-table.ts'

/** Each option's help, preceded by the placeholder for its value, if it has one. Absent for --help and --version. */
const texts: Readonly<Partial<Record<OptionKey, string | readonly [placeholder: string, help: string]>>> = {
  embedded: 'use the emulator even if an account is configured; with MCP_TOOLKITS_EMBEDDED=0, never use it',
  dataDirectory: ['DIR', 'where logins, emulator data and unfinished work are stored'],
  seed: ['SEED', 'what the emulator starts with: company (the default), edge-cases, empty, or a YAML or JSON FILE; existing data is kept'],
  profile: ['NAME', 'use the login with this name instead of "default"'],
  readOnly: 'refuse every write',
  toolsets: ['LIST', 'add these groups of tools, or `all`; `tools` lists the groups'],
  tools: ['LIST', 'offer only these tools'],
  toolNames: ['MODE', 'safe (Prefix_Name, the default) or canonical (Prefix.Name)'],
  apps: ['on|off', 'off hides apps, such as the issue board, in clients that support them; default: on'],
  questionSeconds: [
    'N',
    'seconds to wait when a tool asks you something; with 0, tools never ask; default: 45, or 600 if the call need not stay open',
  ],
  logLevel: ['LEVEL', 'how much to log to standard error: silent, error, warn, info (the default) or debug'],
  host: ['HOST', 'the address to listen on; default: 127.0.0.1'],
  port: ['N', 'the port to listen on; default: 3000 for http, otherwise any free one'],
  allowedHosts: ['LIST', 'the host names that clients use; needed if other machines can reach --host'],
  store: ['URL', 'the PostgreSQL database that all replicas share, such as postgres://host/database'],
  issuer: ['URL', "your company's identity provider; each call then acts as the person named in its token"],
  publicUrl: ['URL', 'with --issuer: where people and clients reach the server, such as https://files.example.com'],
  authorizationServer: 'with --issuer: issue the tokens here, if the identity provider cannot',
  audience: ['LIST', 'with --issuer: the audiences to accept in tokens; default: the public URL with /mcp'],
  audit: ['FILE', 'write one JSON line per call to this file; - means standard error'],
  metricsPort: ['N', 'serve metrics for Prometheus at /metrics on this port'],
  metricsHost: ['HOST', 'with --metrics-port: the address to serve metrics on; default: 127.0.0.1'],
  drainWait: ['SECONDS', 'how long /readyz answers 503 before http stops; default: 5 with --store, otherwise 0'],
  check: 'show what http would serve, then exit, with code 2 if it could not serve',
  idempotencyKey: ['KEY', 'identifies this call: retrying with the same key returns the first result'],
  scopes: ['LIST', 'the scopes to request, comma-separated; default: those that the tools need'],
  noBrowser: 'print the sign-in URL instead of opening a browser',
  json: 'print JSON, for programs',
  write: "write the configuration to the client's file",
}

/** Every server's variables without an option. */
export const sharedVariables: readonly Variable[] = [
  { name: 'MCP_TOOLKITS_HTTP_TOKEN', description: 'The bearer token that clients of the HTTP server send.', secret: true },
  {
    name: 'MCP_TOOLKITS_VAULT_KEYS',
    description:
      "Keys that encrypt the --store database and people's logins: id:base64 of 32 bytes, comma-separated. The first encrypts new data.",
    secret: true,
  },
  {
    name: 'MCP_TOOLKITS_SIGN_IN_CLIENT_ID',
    description: "With --issuer: this server's client id at the identity provider.",
  },
  { name: 'MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET', description: "That client's secret, if it has one.", secret: true },
  {
    name: 'MCP_TOOLKITS_SCOPES',
    description:
      'With --issuer: scope names, if they differ from <server>:read, <server>:write and <server>:delete: read=…,write=…,delete=…',
  },
  {
    name: 'MCP_TOOLKITS_SUBJECT_CLAIM',
    description: 'With --issuer: the claim that identifies a person, if sub differs from client to client.',
    defaultValue: 'sub',
  },
  {
    name: 'MCP_TOOLKITS_KEYS',
    description: 'With --issuer, for a server that uses an API key: deployment (one key for all) or person (people enter their own).',
    choices: ['deployment', 'person'],
    defaultValue: 'deployment',
  },
]

/** A server's options, in help order. */
export function describedOptions(server: Extended = {}): readonly DescribedOption[] {
  const described = new Map(Object.entries(texts))
  return optionsOf(server).flatMap(([key, option]) => {
    if (isDescribed(option)) return [option]
    const text = described.get(key)
    if (text === undefined) return []
    return typeof text === 'string' ? [{ ...option, help: text }] : [{ ...option, placeholder: text[0], help: text[1] }]
  })
}

const isDescribed = (option: object): option is DescribedOption => 'help' in option

/** The options that all of a server's commands take, each with its variable. */
export function generalOptions(server: Pick<ServerDefinition<never>, 'account' | 'extensions'>): readonly DescribedOption[] {
  return describedOptions(server).filter(
    ({ isGeneral, needsAccount }) => isGeneral === true && (!needsAccount || server.account !== undefined),
  )
}
