// Installs each packed server by itself into an empty directory, as a user does, and makes one call to it over stdio.
// Runs on every Node and system that the packages promise, without the workspace: plain JavaScript without dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { clearTimeout, setTimeout } from 'node:timers'

const limit = 120_000
const windows = process.platform === 'win32'

/** For each server, how many tools it lists and a call that its embedded default answers. */
const expected = {
  'event-pipeline': {
    tools: 7,
    call: {
      name: 'EventPipelineApi_TrackUserEvent',
      arguments: { mode: 'execute', request_body: JSON.stringify({ userId: 'ada@example.com', event: 'Order Completed' }) },
    },
  },
  'file-storage': { tools: 11, call: { name: 'FileStorage_SearchFiles', arguments: { query: 'report', limit: 1 } } },
  'issue-tracker': { tools: 36, call: { name: 'IssueTracker_GetIssue', arguments: { issue_id: 'ENG-1' } } },
}

/** The npm that runs this script, as a program for this Node. On Windows its command is no program, but a script for a shell. */
function npm() {
  const program = process.env['npm_execpath']
  if (program === undefined) throw new Error('Run this with npm: npm run smoke.')
  return program
}

/** @param {boolean} condition @param {string} message */
function must(condition, message) {
  if (!condition) throw new Error(message)
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function start(command, args, cwd) {
  const child = spawn(command, args, { cwd, shell: windows && command !== process.execPath, stdio: ['pipe', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), limit)
  const ended = once(child, 'close').then(([code]) => {
    clearTimeout(timer)
    return code
  })
  return { child, ended }
}

/** @param {string} tarball @param {string} directory */
async function install(tarball, directory) {
  // A package file in the directory, so that npm does not look for one further up.
  const { child: made, ended: whenMade } = start(process.execPath, [npm(), 'init', '-y'], directory)
  made.stdout.resume()
  must((await whenMade) === 0, 'npm init failed.')
  const { child, ended } = start(process.execPath, [npm(), 'install', '--no-audit', '--no-fund', tarball], directory)
  child.stdout.resume()
  must((await ended) === 0, `npm could not install ${tarball}.`)
  const scope = path.join(directory, 'node_modules', '@mcp-toolkits')
  const everything = readdirSync(path.join(directory, 'node_modules')).filter((name) => !name.startsWith('.'))
  const installed = readdirSync(scope)
  must(
    everything.length === 1 && installed.length === 1,
    `One package was wanted, and npm installed ${[...everything, ...installed].join(', ')}.`,
  )
  return JSON.parse(readFileSync(path.join(scope, installed[0] ?? '', 'package.json'), 'utf8'))
}

/** A client of a few lines: the handshake, the list and one call. @param {string} program @param {string} directory @param {object} call */
async function converse(program, directory, call) {
  const args = ['--embedded', '--data-dir', 'data', '--log-level', 'error']
  const { child, ended } = start(path.join('node_modules', '.bin', windows ? `${program}.cmd` : program), args, directory)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  /** @param {string} method @param {object} params */
  const ask = async (method, params) => {
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (;;) {
      const { value, done } = await answers.next()
      if (done) throw new Error(`${program} ended before it answered ${method}.`)
      const message = JSON.parse(value)
      if (message.id !== id) continue
      must(message.error === undefined, `${method} failed: ${JSON.stringify(message.error)}`)
      return message.result
    }
  }
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'smoke', version: '1' } }
  const { serverInfo } = await ask('initialize', client)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const { tools } = await ask('tools/list', {})
  const result = await ask('tools/call', call)
  child.stdin.end()
  return { serverInfo, tools, result, code: await ended }
}

/** @param {string} tarball */
async function smoke(tarball) {
  const directory = mkdtempSync(path.join(tmpdir(), 'smoke-'))
  try {
    const { name, version, bin } = await install(tarball, directory)
    const app = String(name).replace('@mcp-toolkits/', '')
    const wanted = expected[/** @type {keyof typeof expected} */ (app)]
    must(wanted !== undefined, `${name} is no server that this script knows.`)
    const { serverInfo, tools, result, code } = await converse(Object.keys(bin)[0] ?? '', directory, wanted.call)
    must(serverInfo.version === version, `${name}@${version} says that it is ${serverInfo.version}: build before packing.`)
    must(tools.length === wanted.tools, `${name} lists ${tools.length} tools.`)
    must(result.isError !== true && result.structuredContent !== undefined, `${wanted.call.name} failed: ${JSON.stringify(result)}`)
    must(code === 0, `${name} ended with ${code}.`)
    console.log(
      `${name}@${version} on Node ${process.versions.node}, ${process.platform}: ${tools.length} tools, ${wanted.call.name} answered`,
    )
  } finally {
    // Windows still holds the files of a process for a moment after its end.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

const folder = path.resolve(process.argv[2] ?? 'packed')
const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
must(
  tarballs.length === Object.keys(expected).length,
  `${folder} holds ${tarballs.length} packed servers; npm run release:pack makes them.`,
)
for (const tarball of tarballs) await smoke(path.join(folder, tarball))
