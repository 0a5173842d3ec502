import { clients, published } from '../../packages/server/src/cli/config.ts'
import { packageName, place, type Offered } from './offered.ts'

/** The clients in the order of a README, with the language of their configuration. */
const shown = [
  ['claude-desktop', 'Claude Desktop', 'json'],
  ['claude-code', 'Claude Code', 'sh'],
  ['cursor', 'Cursor', 'json'],
  ['vscode', 'VS Code', 'json'],
  ['codex', 'Codex', 'toml'],
] as const

/** How each client is told about a server: links where there are any, and what `config` prints. */
export function installSection(offered: Offered): string {
  const { definition } = offered
  const { vscode, cursor } = installLinks(offered)
  const bundle = `${place().url}/releases`
  const parts = shown.map(([client, title, language]) => {
    const { where = '', text } = clients[client] ?? {}
    const lead =
      client === 'claude-desktop' ? `open \`${definition.name}-<version>.mcpb\` from the [releases](${bundle}), or put this into ` : ''
    const begin = client === 'claude-code' ? 'run once in a shell' : `${lead}${lead === '' ? 'put this into ' : ''}${where}`
    return `**${title}**: ${begin}:\n\n\`\`\`${language}\n${text?.(definition.shortName, published(definition.name)) ?? ''}\n\`\`\``
  })
  return [
    `[Install in VS Code](${vscode}) · [Install in Cursor](${cursor}) · [Bundle for Claude Desktop](${bundle})`,
    `A client starts the server with \`npx -y ${packageName(offered)}\`, which needs Node 22.19 or later. \`npx -y ${packageName(offered)} config <client>\` prints what follows, and carries the options that it is given, such as \`--read-only\` or \`--data-dir DIR\`.`,
    ...parts,
  ].join('\n\n')
}

/**
 * Links that put a server into a client. https://code.visualstudio.com/docs/copilot/customization/mcp-servers and
 * https://cursor.com/docs/mcp/install-links; Cursor's own page passes a link on, since GitHub and npm drop any that is not https.
 */
export function installLinks({ definition }: Offered): { readonly vscode: string; readonly cursor: string } {
  const start = published(definition.name)
  const name = encodeURIComponent(definition.shortName)
  return {
    vscode: `https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify({ type: 'stdio', ...start }))}`,
    cursor: `https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(Buffer.from(JSON.stringify(start)).toString('base64'))}`,
  }
}
