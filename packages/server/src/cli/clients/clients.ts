import path from 'node:path'
import { shellQuote } from '../../account/account.ts'

/** Command by which a client starts a server. */
export interface StartCommand {
  readonly command: string
  readonly args: readonly string[]
}

/** A way for a client to reach a server: starting it, or connecting to a running one. */
export type ServerEntry = (StartCommand & { readonly env?: Readonly<Record<string, string>> }) | { readonly url: string }

/** Places on this machine where clients look. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly workingDirectory: string
  /** `%APPDATA%` on Windows. */
  readonly appData: string
}

/** A client and its configuration format. */
export interface Client {
  readonly title: string
  /** The configuration's location, in words. */
  readonly where: string
  readonly language: 'json' | 'sh' | 'toml' | 'yaml'
  /** The JSON file that holds the configuration; absent if there is no single one. */
  readonly file?: (machine: Machine) => string
  /** True if that file is in a project folder, which may be under version control. */
  readonly isInProject?: true
  /** Text for a client; undefined if the client cannot reach a server this way. */
  readonly text: (name: string, entry: ServerEntry) => string | undefined
  /** The member of the file for one server, and its content. */
  readonly member?: (name: string, entry: ServerEntry) => { readonly path: readonly string[]; readonly value: object } | undefined
}

/** An entry in JSON; undefined if the client does not support that kind of entry. */
type JsonEntry = (entry: ServerEntry) => object | undefined

interface JsonClient extends Omit<Client, 'language' | 'text' | 'member'> {
  /** The path of the member that holds the servers; `mcpServers` by default. */
  readonly servers?: readonly string[]
  /** By default, the entry itself, as most clients read it. */
  readonly entry?: JsonEntry
}

function jsonClient({ servers = ['mcpServers'], entry: entryOf = (entry) => entry, ...client }: JsonClient): Client {
  const member: NonNullable<Client['member']> = (name, entry) => {
    const value = entryOf(entry)
    return value && { path: [...servers, name], value }
  }
  return {
    ...client,
    language: 'json',
    member,
    text(name, entry) {
      const found = member(name, entry)
      return (
        found &&
        JSON.stringify(
          found.path.reduceRight<object>((value, key) => ({ [key]: value }), found.value),
          null,
          2,
        )
      )
    },
  }
}

/** Adds a type to the entry. */
const typed =
  (local: string, remote: string, more: object = {}): JsonEntry =>
  (entry) => ({ type: 'url' in entry ? remote : local, ...entry, ...more })

/** Adds a type only to an entry with a URL. */
const typedUrl =
  (remote: string): JsonEntry =>
  (entry) =>
    'url' in entry ? { type: remote, ...entry } : entry

/** Gives the URL a different name. */
const namedUrl =
  (name: string): JsonEntry =>
  (entry) =>
    'url' in entry ? { [name]: entry.url } : entry

const inHome =
  (...parts: readonly string[]) =>
  ({ home }: Machine) =>
    path.join(home, ...parts)

const inProject =
  (...parts: readonly string[]) =>
  ({ workingDirectory }: Machine) =>
    path.join(workingDirectory, ...parts)

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers */
function desktopFile({ platform, home, appData }: Machine): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Claude', 'claude_desktop_config.json')
  return path.join(platform === 'win32' ? appData : path.join(home, '.config'), 'Claude', 'claude_desktop_config.json')
}

/** https://code.claude.com/docs/en/mcp: options come before the name, because `--env` takes every word that follows it. */
function claudeLine(name: string, entry: ServerEntry): string {
  const words =
    'url' in entry
      ? ['--transport', 'http', name, entry.url]
      : [
          ...variables(entry).flatMap((text) => ['--env', text]),
          ...(entry.env ? ['--transport', 'stdio'] : []),
          name,
          '--',
          ...commandOf(entry),
        ]
  return ['claude', 'mcp', 'add', ...words].map(shellQuote).join(' ')
}

/** https://learn.chatgpt.com/docs/extend/mcp */
function codexTable(name: string, entry: ServerEntry): string {
  const table = (suffix: string, values: object) =>
    [`[mcp_servers.${name}${suffix}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join('\n')
  if ('url' in entry) return table('', entry)
  const { env, ...start } = entry
  return [table('', start), ...(env ? [table('.env', env)] : [])].join('\n\n')
}

/** https://block.github.io/goose/docs/guides/config-files: JSON is YAML too. */
function gooseExtension(name: string, entry: ServerEntry): string {
  const kind =
    'url' in entry
      ? { type: 'streamable_http', uri: entry.url }
      : { type: 'stdio', cmd: entry.command, args: entry.args, ...(entry.env && { envs: entry.env }) }
  const lines = Object.entries({ name, ...kind, enabled: true, timeout: 300 }).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`)
  return [`extensions:`, `  ${name}:`, ...lines].join('\n')
}

const commandOf = ({ command, args }: StartCommand) => [command, ...args]

const variables = ({ env = {} }: { readonly env?: Readonly<Record<string, string>> }) =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)

/** Clients by the name that `config` takes, each with the page that documents its configuration. */
export const clients: Readonly<Record<string, Client>> = {
  'claude-desktop': jsonClient({
    title: 'Claude Desktop',
    where: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    file: desktopFile,
    // A URL is added as a connector, in the settings.
    entry: (entry) => ('url' in entry ? undefined : entry),
  }),
  'claude-code': { title: 'Claude Code', where: 'a shell', language: 'sh', text: claudeLine },
  // https://cursor.com/docs/mcp
  cursor: jsonClient({ title: 'Cursor', where: '~/.cursor/mcp.json', file: inHome('.cursor', 'mcp.json') }),
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: jsonClient({
    title: 'VS Code',
    where: '.vscode/mcp.json',
    file: inProject('.vscode', 'mcp.json'),
    isInProject: true,
    servers: ['servers'],
    entry: typed('stdio', 'http'),
  }),
  codex: { title: 'Codex', where: '~/.codex/config.toml', language: 'toml', text: codexTable },
  // https://docs.cline.bot/mcp/configuring-mcp-servers
  cline: jsonClient({
    title: 'Cline',
    where: 'cline_mcp_settings.json (MCP Servers, Configure, Configure MCP Servers)',
    entry: typedUrl('streamableHttp'),
  }),
  // https://docs.continue.dev/customize/deep-dives/mcp
  continue: jsonClient({
    title: 'Continue',
    where: '.continue/mcpServers/mcp.json',
    file: inProject('.continue', 'mcpServers', 'mcp.json'),
    isInProject: true,
    entry: typedUrl('streamable-http'),
  }),
  // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
  'copilot-cli': jsonClient({
    title: 'GitHub Copilot CLI',
    where: '~/.copilot/mcp-config.json',
    file: inHome('.copilot', 'mcp-config.json'),
    entry: typed('local', 'http', { tools: ['*'] }),
  }),
  // https://geminicli.com/docs/tools/mcp-server
  'gemini-cli': jsonClient({
    title: 'Gemini CLI',
    where: '~/.gemini/settings.json',
    file: inHome('.gemini', 'settings.json'),
    entry: namedUrl('httpUrl'),
  }),
  goose: { title: 'goose', where: '~/.config/goose/config.yaml', language: 'yaml', text: gooseExtension },
  // https://junie.jetbrains.com/docs/junie-plugin-mcp-settings.html
  junie: jsonClient({
    title: 'JetBrains Junie',
    where: '~/.junie/mcp/mcp.json',
    file: inHome('.junie', 'mcp', 'mcp.json'),
  }),
  // https://kiro.dev/docs/mcp/configuration
  kiro: jsonClient({ title: 'Kiro', where: '~/.kiro/settings/mcp.json', file: inHome('.kiro', 'settings', 'mcp.json') }),
  // https://lmstudio.ai/docs/app/mcp
  'lm-studio': jsonClient({ title: 'LM Studio', where: '~/.lmstudio/mcp.json', file: inHome('.lmstudio', 'mcp.json') }),
  // https://opencode.ai/docs/mcp-servers
  opencode: jsonClient({
    title: 'opencode',
    where: 'opencode.json',
    file: inProject('opencode.json'),
    isInProject: true,
    servers: ['mcp'],
    entry: (entry) =>
      'url' in entry
        ? { type: 'remote', url: entry.url, enabled: true }
        : { type: 'local', command: commandOf(entry), ...(entry.env && { environment: entry.env }), enabled: true },
  }),
  // https://docs.windsurf.com/windsurf/cascade/mcp
  windsurf: jsonClient({
    title: 'Windsurf',
    where: '~/.codeium/windsurf/mcp_config.json',
    file: inHome('.codeium', 'windsurf', 'mcp_config.json'),
    entry: namedUrl('serverUrl'),
  }),
  // https://zed.dev/docs/ai/mcp
  zed: jsonClient({
    title: 'Zed',
    where: '~/.config/zed/settings.json',
    file: inHome('.config', 'zed', 'settings.json'),
    servers: ['context_servers'],
  }),
}
