// Publishes the server.json of each server in PACKAGES to the MCP registry, with the identity of the workflow that runs this.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { plannedReleases, readJson } from '../../releases/releases.ts'

/** The registry's publisher, pinned by its checksum, because a release can be replaced. */
const url = 'https://github.com/modelcontextprotocol/registry/releases/download/v1.8.0/mcp-publisher_linux_amd64.tar.gz'
const sha256 = '1370446bbe74d562608e8005a6ccce02d146a661fbd78674e11cc70b9618d6cf'

const directory = mkdtempSync(path.join(tmpdir(), 'mcp-publisher-'))
const archive = path.join(directory, 'archive.tar.gz')
const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error(`${url} does not have the pinned checksum.`)
writeFileSync(archive, bytes)
execFileSync('tar', ['xzf', archive, '-C', directory, 'mcp-publisher'])
const run = (...args: string[]) => execFileSync(path.join(directory, 'mcp-publisher'), args, { stdio: 'inherit' })

const planned = plannedReleases().filter(({ bundle }) => bundle !== undefined)
if (planned.length > 0) run('login', 'github-oidc')
for (const { folder, version } of planned) {
  const file = path.join(folder, 'server.json')
  const name = encodeURIComponent(String(readJson(file)['name']))
  const { status } = await fetch(`https://registry.modelcontextprotocol.io/v0.1/servers/${name}/versions/${version}`)
  if (status === 404) run('publish', file)
  else if (status !== 200) throw new Error(`The MCP registry answered ${status} for ${name}.`)
}
