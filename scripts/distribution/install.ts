import { readFileSync } from 'node:fs'
import path from 'node:path'
import { clients, npxCommand } from '../../packages/server/src/cli/config.ts'
import { packageName, repository, type DistributedServer } from './distributed-server.ts'
import { root } from '../release/releases.ts'

/** The clients in the order of a README, with the language of their configuration. */
const clientSections = [
  ['claude-desktop', 'Claude Desktop', 'json'],
  ['claude-code', 'Claude Code', 'sh'],
  ['cursor', 'Cursor', 'json'],
  ['vscode', 'VS Code', 'json'],
  ['codex', 'Codex', 'toml'],
] as const

/** How to add a server to each client: a link where the client has one, and what `config` prints. */
export function installSection(server: DistributedServer): string {
  const { definition } = server
  const { vscode, cursor } = installLinks(server)
  const { url } = repository()
  const bundle = `${url}/releases`
  const parts = clientSections.map(([client, title, language]) => {
    const { where = '', text } = clients[client] ?? {}
    const lead = client === 'claude-desktop' ? `open \`${definition.name}-<version>.mcpb\` from the [releases](${bundle}), or ` : ''
    const step = client === 'claude-code' ? 'run once in a shell' : `${lead}put this into ${where}`
    return `**${title}**: ${step}:\n\n\`\`\`${language}\n${text?.(definition.shortName, npxCommand(definition.name)) ?? ''}\n\`\`\``
  })
  return [
    ...unpublishedRemark(url),
    `[Install in VS Code](${vscode}) · [Install in Cursor](${cursor}) · [Bundle for Claude Desktop](${bundle})`,
    `A client starts the server with \`npx -y ${packageName(server)}\`, which needs Node 22.19 or later. \`npx -y ${packageName(server)} config <client>\` prints the configurations below, with the options that you add, such as \`--read-only\` or \`--data-dir DIR\`.`,
    ...parts,
  ].join('\n\n')
}

/** As long as the README of the repository says that there are no packages yet, so does that of each server. */
function unpublishedRemark(url: string): string[] {
  const remark = 'The packages are not published to npm yet.'
  if (!readFileSync(path.join(root, 'README.md'), 'utf8').includes(remark)) return []
  return [`${remark} Until they are, [start the server from a clone](${url}#connect-a-client).`]
}

/**
 * Links that install a server in a client. https://code.visualstudio.com/docs/copilot/customization/mcp-servers and
 * https://cursor.com/docs/mcp/install-links; the latter goes through a page of Cursor, because GitHub and npm drop links that are not https.
 */
export function installLinks({ definition }: DistributedServer): { readonly vscode: string; readonly cursor: string } {
  const start = npxCommand(definition.name)
  const name = encodeURIComponent(definition.shortName)
  return {
    vscode: `https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify({ type: 'stdio', ...start }))}`,
    cursor: `https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(Buffer.from(JSON.stringify(start)).toString('base64'))}`,
  }
}
