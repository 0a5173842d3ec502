// Enters each server of this release into the MCP registry, in the name of the workflow that runs it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { planned, root } from './servers.ts'

/** The registry's own program, by what is in it: a release of the registry can be replaced, its bytes cannot. */
const publisher = {
  url: 'https://github.com/modelcontextprotocol/registry/releases/download/v1.8.0/mcp-publisher_linux_amd64.tar.gz',
  sha256: '1370446bbe74d562608e8005a6ccce02d146a661fbd78674e11cc70b9618d6cf',
}

async function download(): Promise<string> {
  const response = await fetch(publisher.url)
  if (!response.ok) throw new Error(`${publisher.url} answered ${response.status}.`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== publisher.sha256) throw new Error(`${publisher.url} has the checksum ${found}, not the pinned one. Nothing of it was run.`)
  const directory = mkdtempSync(path.join(process.env['RUNNER_TEMP'] ?? tmpdir(), 'mcp-publisher-'))
  const archive = path.join(directory, 'archive.tar.gz')
  writeFileSync(archive, bytes)
  execFileSync('tar', ['xzf', archive, '-C', directory, 'mcp-publisher'])
  return path.join(directory, 'mcp-publisher')
}

/** The name in a server.json, which the registry knows the server by. */
function entryName(file: string): string {
  const entry: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (typeof entry !== 'object' || entry === null || !('name' in entry)) throw new Error(`${file} names no server.`)
  return String(entry.name)
}

async function isEntered(name: string, version: string): Promise<boolean> {
  const response = await fetch(`https://registry.modelcontextprotocol.io/v0.1/servers/${encodeURIComponent(name)}/versions/${version}`)
  if (!response.ok && response.status !== 404) throw new Error(`The MCP registry answered ${response.status} when asked for ${name}.`)
  return response.ok
}

const servers = planned()
const program = await download()
const run = (...args: string[]) => execFileSync(program, args, { stdio: 'inherit' })
run('login', 'github-oidc')
for (const { app, version } of servers) {
  const file = path.join(root, 'apps', app, 'server.json')
  if (await isEntered(entryName(file), version)) console.log(`${app} ${version} was there already.`)
  else run('publish', file)
}
