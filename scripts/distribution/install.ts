import { readFileSync } from 'node:fs'
import path from 'node:path'
import { clients } from '../../packages/server/src/cli/clients/clients.ts'
import { npxCommand } from '../../packages/server/src/cli/commands/config.ts'
import { packageName, repository, type DistributedServer } from './distributed-server.ts'
import { root } from '../../releases/releases.ts'

type NamedServer = Pick<DistributedServer['definition'], 'name' | 'shortName'>

/** The clients that a README shows; the others are on a page for all servers. */
const shownClients = ['claude-desktop', 'claude-code']

/** Instructions for adding a server to each client: a link if the client has one, and the output of `config`. */
export function installSection(server: DistributedServer): string {
  const { definition } = server
  const { vscode, cursor } = installLinks(definition)
  const { url } = repository()
  const [unpublished] = unpublishedRemark(url)
  // The other instructions would not work yet.
  if (unpublished !== undefined) return unpublished
  const bundle = `${url}/releases`
  const parts = shownClients.flatMap((name) => {
    const client = clients[name]
    if (!client) throw new Error(`There is no client ${name}.`)
    const { title, language, where, text } = client
    const lead = name === 'claude-desktop' ? `open \`${definition.name}-<version>.mcpb\` from the [releases](${bundle}), or ` : ''
    const step = language === 'sh' ? 'run this once in a shell' : `${lead}put this in ${where}`
    return `**${title}**: ${step}:\n\n\`\`\`${language}\n${text(definition.shortName, npxCommand(definition.name)) ?? ''}\n\`\`\``
  })
  return [
    `[Install in VS Code](${vscode}) · [Install in Cursor](${cursor}) · [Bundle for Claude Desktop](${bundle})`,
    `The server needs Node 22.19 or later. \`npx -y ${packageName(server)} config <client>\` prints the configuration for any [client](${url}/blob/main/docs/clients.md), and \`--write\` adds it to the client's file.`,
    ...parts,
  ].join('\n\n')
}

/** A remark for package READMEs that the packages are not on npm; empty once the repository's README no longer says so. */
function unpublishedRemark(url: string): string[] {
  const remark = 'The packages are not on npm yet'
  if (!readFileSync(path.join(root, 'README.md'), 'utf8').includes(remark)) return []
  return [`${remark}; [start the server from a clone](${url}#connect-a-client).`]
}

/** An emulator package's requirements and availability. */
export function emulatorInstallation(): string {
  const { url } = repository()
  const isUnpublished = unpublishedRemark(url).length > 0
  const clone = ` The packages are not on npm yet; \`npm run release:pack\` in a [clone](${url}) creates the tarballs.`
  return `The emulator needs Node 22.19 or later and has no dependencies.${isUnpublished ? clone : ''}`
}

/**
 * Links that install a server in a client. https://code.visualstudio.com/docs/copilot/customization/mcp-servers and
 * https://cursor.com/docs/mcp/install-links; the latter goes through Cursor's website, because GitHub and npm drop links that are not https.
 */
function installLinks({ name: server, shortName }: NamedServer): { readonly vscode: string; readonly cursor: string } {
  const start = npxCommand(server)
  const name = encodeURIComponent(shortName)
  return {
    vscode: `https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify({ type: 'stdio', ...start }))}`,
    cursor: `https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(Buffer.from(JSON.stringify(start)).toString('base64'))}`,
  }
}

/** A section for each client, with the output of `config` for one server as an example. */
export function clientSections({ name, shortName }: NamedServer): string {
  const start = npxCommand(name)
  const url = 'https://mcp.example.com/mcp'
  const titles = new Map<string, string>()
  return Object.entries(clients)
    .map(([key, { title, where, language, file, text, member }]) => {
      const [local, remote] = [block(text(shortName, start), language), block(text(shortName, { url }), language)]
      const blocks = [local, remote].filter((each) => each !== '').join('\n\n')
      const [same, sameStart] = [titles.get(blocks), titles.get(local)]
      for (const shown of [local, blocks]) if (!titles.has(shown)) titles.set(shown, title)
      const isWritten = file !== undefined && local !== ''
      const command = `\`config ${key}${isWritten ? ' --write' : ''}\``
      const place = isWritten
        ? `${command} adds the server to ${where}`
        : language === 'sh'
          ? `${command} prints a command to run once in a shell`
          : `Put the output of ${command} in ${where}`
      const elsewhere = remote === '' ? ' Add a remote server in the settings.' : ''
      const shown =
        same !== undefined
          ? `The same as for ${section(same)}.`
          : sameStart === undefined
            ? blocks
            : `The same as for ${section(sameStart)}, ${remoteEntry(member?.(shortName, { url })?.value, remote)}`
      return `## ${title}\n\n${place}.${elsewhere}\n\n${shown}`
    })
    .join('\n\n')
}

/** A remote server's entry, on one line if it is a member of a JSON file. */
function remoteEntry(value: object | undefined, whole: string): string {
  if (value === undefined) return `except for remote servers:\n\n${whole}`
  return `but the entry of a remote server is \`${JSON.stringify(value, undefined, 1).replaceAll(/\n */g, ' ')}\`.`
}

const section = (title: string) => `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`

function block(content: string | undefined, language: string): string {
  return content === undefined ? '' : `\`\`\`${language}\n${content}\n\`\`\``
}
