// Installs each packed server alone into an empty directory, as a user does, and makes one call to it over stdio.
// Runs on every Node and system that the packages support, without installed dependencies.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { releases, type Release } from './release/releases.ts'

const windows = process.platform === 'win32'

function install({ tarball }: Release, directory: string): void {
  // npm looks for a manifest further up unless there is one.
  writeFileSync(path.join(directory, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], {
    cwd: directory,
    shell: windows,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const installed = readdirSync(path.join(directory, 'node_modules')).filter((name) => !name.startsWith('.'))
  if (installed.join() !== '@mcp-toolkits') throw new Error(`npm installed more than one package: ${installed.join(', ')}.`)
}

/** Sends requests one after another and returns the last result. */
async function converse({ command, prefix, read }: Release, directory: string): Promise<void> {
  const program = path.join(directory, 'node_modules', '.bin', windows ? `${command}.cmd` : command)
  const args = ['--embedded', '--data-dir', 'data', '--log-level', 'error']
  const child = spawn(program, args, { cwd: directory, shell: windows, stdio: ['pipe', 'pipe', 'inherit'], timeout: 120_000 })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } }
  const requests = [
    { id: 1, method: 'initialize', params: client },
    { id: 2, method: 'tools/call', params: { name: `${prefix}_${read.tool}`, arguments: read.arguments } },
  ]
  for (const request of requests) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
    const { value: line = '' } = await lines.next()
    const isFine =
      request.id === 1 ? line.includes('"serverInfo"') : line.includes('"structuredContent"') && !line.includes('"isError":true')
    if (!isFine) throw new Error(`${command} answered ${request.method} with: ${line}`)
  }
  child.stdin.end()
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`${command} ended with ${String(child.exitCode)}.`)
}

for (const release of releases) {
  const directory = mkdtempSync(path.join(tmpdir(), 'smoke-'))
  try {
    install(release, directory)
    await converse(release, directory)
    console.log(`${release.packageName}@${release.version} works on Node ${process.versions.node}, ${process.platform}.`)
  } finally {
    // Windows holds the files of a process for a moment after its end.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}
