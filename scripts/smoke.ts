// Installs each packed package alone into an empty directory, as a user does, and makes one call to it. Runs on every version of Node and
// every system that the packages support, without installed dependencies.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { emulatorReleases, releases, taskRelease, type PackageRelease, type Release } from '../releases/releases.ts'

const windows = process.platform === 'win32'

function install({ tarball }: PackageRelease, cwd: string): void {
  // Without a manifest here, npm would look for one further up.
  writeFileSync(path.join(cwd, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, shell: windows, stdio: ['ignore', 'ignore', 'inherit'] })
  const installed = readdirSync(path.join(cwd, 'node_modules')).filter((name) => !name.startsWith('.'))
  if (installed.join() !== '@mcp-toolkits') throw new Error(`npm installed more than one package: ${installed.join(', ')}.`)
}

/** Sends two requests and closes the input; the server must answer before it ends. */
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

/** Starts an emulator and checks its health. */
async function ask({ name }: PackageRelease, cwd: string): Promise<void> {
  const main = path.join(cwd, 'node_modules', '@mcp-toolkits', name, 'dist', 'main.js')
  const child = spawn(process.execPath, [main, '--memory', '--port', '0', '--json'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const line: unknown = (await once(child.stdout, 'data'))[0]
    const started: unknown = JSON.parse(String(line))
    const control = typeof started === 'object' && started !== null && 'control' in started ? String(started.control) : ''
    const { status } = await fetch(`${control}/health`, { headers: { connection: 'close' } })
    if (status !== 200) throw new Error(`${name} answered ${status}.`)
  } finally {
    child.kill()
    await once(child, 'close')
  }
}

/** Plays a task with a packed server and a model that only asks a question back, which is right in this task. */
async function play({ name }: PackageRelease, cwd: string): Promise<void> {
  const tracker = releases.find((each) => each.name === 'issue-tracker')
  if (!tracker) throw new Error('There is no server for Linear.')
  const directory = path.join(cwd, 'server')
  mkdirSync(directory)
  install(tracker, directory)
  const reply = { choices: [{ message: { content: 'Which Ada do you mean, Ada Okafor or Ada Okonkwo?' } }] }
  const model = createServer((_, response) => response.end(JSON.stringify(reply)))
  await once(model.listen(0, '127.0.0.1'), 'listening')
  const address = model.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    const mainOf = (each: string) => path.join('node_modules', '@mcp-toolkits', each, 'dist', 'main.js')
    const server = `linear="${process.execPath}" "${path.join(directory, mainOf(tracker.name))}"`
    const variables = ['ISSUE_TRACKER_API_KEY={key}', 'ISSUE_TRACKER_API_URL={url}/graphql'].flatMap((each) => ['--env', each])
    const chosen = [
      '--task',
      'linear-two-adas',
      '--runs',
      '1',
      '--model',
      'any',
      '--endpoint',
      `http://127.0.0.1:${port}/v1/chat/completions`,
    ]
    const args = [mainOf(name), ...chosen, '--server', server, ...variables]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, timeout: 120_000 })
    if (!stdout.startsWith('passed linear-two-adas')) throw new Error(`${name} answered: ${stdout}`)
  } finally {
    model.close()
  }
}

async function withInstallation<R extends PackageRelease>(release: R, use: (release: R, directory: string) => void | Promise<void>) {
  const directory = mkdtempSync(path.join(tmpdir(), 'smoke-'))
  try {
    install(release, directory)
    await use(release, directory)
    console.log(`${release.packageName}@${release.version} works on Node ${process.versions.node}, ${process.platform}.`)
  } finally {
    // Windows keeps a process's files locked for a moment after it ends.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

for (const release of releases) await withInstallation(release, call)
for (const release of emulatorReleases) await withInstallation(release, ask)
await withInstallation(taskRelease, play)
