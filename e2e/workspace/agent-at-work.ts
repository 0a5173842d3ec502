// The work of an agent that the animated picture of the README shows, with the state of the board after each step.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export const picture = path.join(import.meta.dirname, '..', '..', 'docs', 'images', 'agent-at-work.svg')

/** The board after a step. */
export interface Board {
  /** Action of the agent. */
  readonly caption: string
  /** Differs if the page or its style does, times and ids aside. */
  readonly digest: string
}

const steps = [
  ['CreateIssue', { team: 'ENG', title: 'Invitations expire too early', priority: 'high', state: 'Todo' }],
  ['UpdateIssue', { issue_id: 'ENG-37', priority: 'urgent' }],
  ['TransitionIssueState', { issue_id: 'ENG-37', target_state: 'In Progress' }],
  ['CreateIssue', { team: 'ENG', title: 'Say in the email when the invitation ends', state: 'In Progress' }],
] as const

/** Does the work on a built server with sample data of its own. `see` gets each state of the board, and its address. */
export async function workAtBoard(dataDirectory: string, see: (board: Board, workspace: string) => Promise<void>): Promise<void> {
  const { child, mcp, workspace } = await start(dataDirectory)
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const show = async (caption: string) => see({ caption, digest: await digestOf(workspace) }, workspace)
  try {
    await show('The board, before the agent begins')
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp)))
    for (const [tool, args] of steps) {
      const { isError, content } = await client.callTool({ name: `IssueTracker_${tool}`, arguments: { ...args } })
      if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(content)}`)
      await show(`${tool} ${JSON.stringify(args)}`)
    }
  } finally {
    await client.close()
    child.kill('SIGTERM')
    await once(child, 'close')
  }
}

/** Starts a server; resolves with the addresses of MCP and of the workspace. */
async function start(dataDirectory: string) {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', 'issue-tracker', 'dist', 'main.js')
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

async function digestOf(workspace: string): Promise<string> {
  const page = await textAt(workspace)
  const assets = [...page.matchAll(/(?:href|src)="(\/workspace\/assets\/[^"]+)"/g)].map(
    ([, address = '']) => new URL(address, workspace).href,
  )
  const parts = await Promise.all(assets.sort().map(textAt))
  const lasting = page
    .replaceAll(/ data-(?:version|revision)="[^"]*"/g, '')
    .replaceAll(/<time [^>]*>[^<]*<\/time>/g, 'TIME')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID')
  return createHash('sha256')
    .update([lasting, ...parts].join('\n'))
    .digest('hex')
    .slice(0, 16)
}

const textAt = async (url: string) => (await fetch(url)).text()
