// Installs each packed server alone into an empty directory, as a user does, and makes one call to it over stdio.
// Runs on every Node and system that the packages support, without installed dependencies.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { releases, type Release } from './release/releases.ts'

const windows = process.platform === 'win32'

function install({ tarball }: Release, cwd: string): void {
  // npm looks for a manifest further up unless there is one.
  writeFileSync(path.join(cwd, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, shell: windows, stdio: ['ignore', 'ignore', 'inherit'] })
  const installed = readdirSync(path.join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'))
  if (installed.join() !== '@mcp-toolkits') throw new Error(`npm installed more than one package: ${installed.join(', ')}.`)
}

/** Sends two requests and the end of the input, which a server answers before it ends. */
function call({ command, prefix, read }: Release, cwd: string): void {
  const program = path.join(cwd, 'node_modules', '.bin', windows ? `${command}.cmd` : command)
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } }
  const input = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: client },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: `${prefix}_${read.tool}`, arguments: read.arguments } },
  ].map((request) => `${JSON.stringify(request)}\n`)
  const args = ['--embedded', '--data-dir', 'data', '--log-level', 'error']
  const options = { cwd, shell: windows, encoding: 'utf8', input: input.join(''), timeout: 120_000 } as const
  const output = execFileSync(program, args, options)
  if (!output.includes('"serverInfo"') || !output.includes('"structuredContent"') || output.includes('"isError":true'))
    throw new Error(`${command} answered: ${output}`)
}

for (const release of releases) {
  const directory = mkdtempSync(path.join(tmpdir(), 'smoke-'))
  try {
    install(release, directory)
    call(release, directory)
    console.log(`${release.packageName}@${release.version} works on Node ${process.versions.node}, ${process.platform}.`)
  } finally {
    // Windows holds the files of a process for a moment after its end.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
