// Takes the pictures of the workspace for the README: starts the built servers with their usual data, lets an agent work a little, and
// writes docs/images/workspace-*.png.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../chromium-path.ts'

const root = path.join(import.meta.dirname, '..', '..')
const images = path.join(root, 'docs', 'images')
const size = { width: 1200, height: 560 }

/** What a README can carry, in bytes. */
const maxBytes = 150_000

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
      ['CreateIssue', { team: 'ENG', title: 'Say in the mail when the invitation ends', state: 'In Progress' }],
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

async function work(url: string, { prefix, calls }: Scene) {
  const client = new Client({ name: 'screenshots', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  for (const [tool, args] of calls) {
    const { isError, content } = await client.callTool({ name: `${prefix}_${tool}`, arguments: { ...args } })
    if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(content)}`)
  }
  await client.close()
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
  const bytes = statSync(file).size
  process.stdout.write(`${path.relative(root, file)}: ${bytes} bytes\n`)
  if (bytes > maxBytes) throw new Error(`A picture of the README has at most ${maxBytes} bytes.`)
}
await browser.close()
rmSync(dataDirectory, { recursive: true, force: true })
