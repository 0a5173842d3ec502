// Takes the pictures of the workspace for the README: starts the built servers with their usual data, lets an agent work a little, and
// writes docs/images/workspace-*.png, and the animated docs/images/agent-at-work.svg.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Browser, chromium } from 'playwright-core'
import { chromiumPath } from '../chromium-path.ts'
import { filmOf, type Frame } from './film.ts'

const root = path.join(import.meta.dirname, '..', '..')
const images = path.join(root, 'docs', 'images')
const size = { width: 1200, height: 560 }

/** What a README can carry, in bytes. */
const maxBytes = 150_000
const maxFilmBytes = 600_000
const filmSize = { width: 1000, height: 540 }

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

interface Scene {
  readonly app: string
  readonly prefix: string
  readonly calls: readonly Call[]
  readonly image: string
}

const event = (request: object) => ({ mode: 'execute', request_body: JSON.stringify(request) })

const scenes: readonly Scene[] = [
  {
    app: 'issue-tracker',
    prefix: 'IssueTracker',
    image: 'workspace-board.png',
    calls: [
      ['CreateIssue', { team: 'ENG', title: 'Invitations expire too early', priority: 'high', state: 'Todo' }],
      ['CreateIssue', { team: 'ENG', title: 'Say in the email when the invitation ends', state: 'In Progress' }],
    ],
  },
  {
    app: 'file-storage',
    prefix: 'FileStorage',
    image: 'workspace-files.png',
    calls: [['CreateFolder', { folder_name: 'Answers to customers' }]],
  },
  {
    app: 'event-pipeline',
    prefix: 'EventPipelineApi',
    image: 'workspace-events.png',
    calls: [
      ['IdentifyPersonAndAssignTraits', event({ userId: 'ada@example.com', traits: { plan: 'team', city: 'Oslo' } })],
      ['TrackUserEvent', event({ userId: 'ada@example.com', event: 'Order Completed', properties: { total: 42 } })],
      ['SendPageViewEvent', event({ userId: 'ada@example.com', name: 'Invoices', properties: { path: '/invoices' } })],
      ['AddToGroup', event({ userId: 'ada@example.com', groupId: 'acme', traits: { name: 'Acme' } })],
    ],
  },
]

/** Starts a server; resolves with the addresses of MCP and of the workspace. */
async function start(app: string, dataDirectory: string) {
  const main = path.join(root, 'apps', app, 'dist', 'main.js')
  const args = [main, 'http', '--embedded', '--port', '0', '--log-level', 'error', '--data-dir', dataDirectory]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const found: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    found.push(...(/ (?:serves|at) (http:\S+)/.exec(line)?.slice(1) ?? []))
    if (found.length === 2) break
  }
  const [mcp = '', workspace = ''] = found
  return { child, mcp, workspace }
}

async function work(url: string, { prefix, calls }: Pick<Scene, 'prefix' | 'calls'>) {
  const client = new Client({ name: 'screenshots', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  for (const [tool, args] of calls) {
    const { isError, content } = await client.callTool({ name: `${prefix}_${tool}`, arguments: { ...args } })
    if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(content)}`)
  }
  await client.close()
}

/** What an agent does on the board, each step in a frame of the animated picture. */
const steps: readonly Call[] = [
  ['CreateIssue', { team: 'ENG', title: 'Invitations expire too early', priority: 'high', state: 'Todo' }],
  ['UpdateIssue', { issue_id: 'ENG-37', priority: 'urgent' }],
  ['TransitionIssueState', { issue_id: 'ENG-37', target_state: 'In Progress' }],
  ['CreateIssue', { team: 'ENG', title: 'Say in the email when the invitation ends', state: 'In Progress' }],
]

/** The board while an agent works. No one reloads it. */
async function recordAgent(browser: Browser, dataDirectory: string): Promise<void> {
  const { child, mcp, workspace } = await start('issue-tracker', dataDirectory)
  const page = await browser.newPage({ viewport: filmSize, colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto(workspace)
  const frames: Frame[] = []
  const take = async (caption: string) => {
    frames.push({ jpeg: await page.screenshot({ type: 'jpeg', quality: 60 }), caption })
  }
  await take('The board, before the agent begins')
  for (const step of steps) {
    const before = await page.content()
    await work(mcp, { prefix: 'IssueTracker', calls: [step] })
    for (let waits = 0; waits < 50 && (await page.content()) === before; waits += 1) await page.waitForTimeout(100)
    await take(`${step[0]} ${JSON.stringify(step[1])}`)
  }
  await page.close()
  child.kill('SIGTERM')
  const file = path.join(images, 'agent-at-work.svg')
  writeFileSync(file, filmOf(frames, { ...filmSize, secondsPerFrame: 2.5, title: 'The board of issues changes while an agent works' }))
  report(file, maxFilmBytes)
}

function report(file: string, most: number): void {
  const bytes = statSync(file).size
  process.stdout.write(`${path.relative(root, file)}: ${bytes} bytes\n`)
  if (bytes > most) throw new Error(`A picture of this kind has at most ${most} bytes.`)
}

if (chromiumPath === undefined) throw new Error('Chromium is not installed.')
mkdirSync(images, { recursive: true })
const dataDirectory = mkdtempSync(path.join(tmpdir(), 'screenshots-'))
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-lcd-text'],
})
for (const scene of scenes) {
  const { child, mcp, workspace } = await start(scene.app, dataDirectory)
  await work(mcp, scene)
  const page = await browser.newPage({ viewport: size, colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto(workspace)
  const file = path.join(images, scene.image)
  await page.screenshot({ path: file })
  await page.close()
  child.kill('SIGTERM')
  report(file, maxBytes)
}
await recordAgent(browser, path.join(dataDirectory, 'film'))
await browser.close()
rmSync(dataDirectory, { recursive: true, force: true })
