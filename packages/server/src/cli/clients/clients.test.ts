import { describe, expect, it } from 'vitest'
import { clients, type Machine } from './clients.ts'

const local = { command: 'npx', args: ['-y', 'acme'], env: { ACME_KEY: 'a "key"', REGION: 'eu' } }
const remote = { url: 'https://mcp.example.com/mcp' }

/** Configuration that each client reads for a server that it starts, as its documentation shows it. */
const started: Readonly<Record<string, object>> = {
  'claude-desktop': { mcpServers: { acme: local } },
  cline: { mcpServers: { acme: local } },
  continue: { mcpServers: { acme: local } },
  'copilot-cli': { mcpServers: { acme: { type: 'local', ...local, tools: ['*'] } } },
  cursor: { mcpServers: { acme: local } },
  'gemini-cli': { mcpServers: { acme: local } },
  junie: { mcpServers: { acme: local } },
  kiro: { mcpServers: { acme: local } },
  'lm-studio': { mcpServers: { acme: local } },
  opencode: { mcp: { acme: { type: 'local', command: ['npx', '-y', 'acme'], environment: local.env, enabled: true } } },
  vscode: { servers: { acme: { type: 'stdio', ...local } } },
  windsurf: { mcpServers: { acme: local } },
  zed: { context_servers: { acme: local } },
}

/** Configuration that each client reads for a server that runs elsewhere. */
const connected: Readonly<Record<string, object>> = {
  cline: { type: 'streamableHttp', ...remote },
  continue: { type: 'streamable-http', ...remote },
  'copilot-cli': { type: 'http', ...remote, tools: ['*'] },
  cursor: remote,
  'gemini-cli': { httpUrl: remote.url },
  junie: remote,
  kiro: remote,
  'lm-studio': remote,
  opencode: { type: 'remote', ...remote, enabled: true },
  vscode: { type: 'http', ...remote },
  windsurf: { serverUrl: remote.url },
  zed: remote,
}

const jsonClients = Object.entries(clients).filter(([, { language }]) => language === 'json')

describe('the configuration of a client', () => {
  it.each(jsonClients)('of %s starts a server', (name, { text }) => {
    expect(JSON.parse(text('acme', local) ?? '')).toEqual(started[name])
  })

  it.each(jsonClients)('of %s connects to a server', (name, { member }) => {
    expect(member?.('acme', remote)?.value).toEqual(connected[name])
  })

  it('is a line of a shell for claude-code, in which no value can be mistaken for a word of the line', () => {
    const line = `claude mcp add --env 'ACME_KEY=a "key"' --env REGION=eu --transport stdio acme -- npx -y acme`
    expect(clients['claude-code']?.text('acme', local)).toBe(line)
    expect(clients['claude-code']?.text('acme', remote)).toBe('claude mcp add --transport http acme https://mcp.example.com/mcp')
  })

  it('is TOML for codex', () => {
    const table = `[mcp_servers.acme]\ncommand = "npx"\nargs = ["-y","acme"]\n\n[mcp_servers.acme.env]\nACME_KEY = "a \\"key\\""\nREGION = "eu"`
    expect(clients['codex']?.text('acme', local)).toBe(table)
    expect(clients['codex']?.text('acme', remote)).toBe('[mcp_servers.acme]\nurl = "https://mcp.example.com/mcp"')
  })

  it('is YAML for goose', () => {
    expect(clients['goose']?.text('acme', remote)).toBe(
      'extensions:\n  acme:\n    name: "acme"\n    type: "streamable_http"\n    uri: "https://mcp.example.com/mcp"\n    enabled: true\n    timeout: 300',
    )
  })
})

describe('the file of Claude Desktop', () => {
  const machine = { home: '/home/robin', workingDirectory: '/work', appData: 'roaming' }
  it.each<[Machine['platform'], string]>([
    ['darwin', '/home/robin/Library/Application Support/Claude/claude_desktop_config.json'],
    ['linux', '/home/robin/.config/Claude/claude_desktop_config.json'],
    ['win32', 'roaming/Claude/claude_desktop_config.json'],
  ])('is where the client looks on %s', (platform, file) => {
    expect(clients['claude-desktop']?.file?.({ ...machine, platform })).toBe(file)
  })
})
