// The first call of a session on the embedded default, whose data is there from before: at once after the list of the tools, and when the
// server has had time to load what calls need.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { servers, type Server } from '../../../servers.ts'
import { startServer } from '../peers/client.ts'
import { figuresOf, type Figures } from '../statistics.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** How long after the list the call comes. */
const pauses = [
  { pause: 'at once', ms: 0 },
  { pause: 'after 1.5 s', ms: 1_500 },
] as const

export interface FirstCallRow {
  readonly server: string
  readonly tool: string
  /** Between the list of the tools and the call. */
  readonly pause: string
  readonly ms: Figures
  /** Of another checkout, measured in turns with this one. */
  readonly baseline_ms?: Figures
}

/** Starts each server so many times in this checkout and, in turns, in the other one, which has to be built. */
export async function timeFirstCalls(rounds: number, baseline?: string): Promise<FirstCallRow[]> {
  const rows: FirstCallRow[] = []
  for (const server of servers) rows.push(...(await timeServer(server, rounds, baseline)))
  return rows
}

/** The commit of a checkout. */
export const commitOf = (checkout: string) =>
  execFileSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()

async function timeServer(server: Server, rounds: number, baseline: string | undefined): Promise<FirstCallRow[]> {
  const checkouts = [root, ...(baseline === undefined ? [] : [baseline])].map((checkout) => ({
    main: path.join(checkout, 'apps', server.name, 'dist', 'main.js'),
    data: mkdtempSync(path.join(tmpdir(), 'first-call-')),
  }))
  try {
    // Creates the data, and the compile cache.
    for (const each of checkouts) await firstCall(server, each, { sample: server.write ?? server.read, pauseMs: 0 })
    const rows: FirstCallRow[] = []
    for (const { pause, ms: pauseMs } of pauses) {
      const times = checkouts.map(() => new Array<number>())
      for (let round = 0; round < rounds; round += 1) {
        const order = [...checkouts.entries()]
        for (const [index, each] of round % 2 === 0 ? order : order.toReversed())
          times[index]?.push(await firstCall(server, each, { sample: server.read, pauseMs }))
      }
      const [ours = [], theirs] = times
      rows.push({
        ...{ server: server.name, tool: server.read.tool, pause, ms: figuresOf(ours) },
        ...(theirs && { baseline_ms: figuresOf(theirs) }),
      })
    }
    return rows
  } finally {
    for (const { data } of checkouts) rmSync(data, { recursive: true, force: true })
  }
}

async function firstCall(
  { prefix }: Server,
  { main, data }: { readonly main: string; readonly data: string },
  { sample, pauseMs }: { readonly sample: Server['read']; readonly pauseMs: number },
): Promise<number> {
  const environment = { PATH: process.env['PATH'] ?? '', MCP_TOOLKITS_DATA_DIR: data, MCP_TOOLKITS_EMBEDDED: '1' }
  await using server = await startServer({ main, environment })
  await server.list()
  await sleep(pauseMs)
  const started = performance.now()
  const reply = await server.call(`${prefix}_${sample.tool}`, sample.arguments)
  const ms = performance.now() - started
  if (!reply || reply.isError) throw new Error(`${sample.tool}: ${reply?.text ?? 'no answer'}`)
  await server.end()
  return ms
}
