// A sampled profile of the processor time of one tool: the sources run many calls of it, and equal stacks are added up.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { startServer } from '../peers/client.ts'
import type { TimedServer } from './catalog.ts'
import { startVendor } from './vendor.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** Whose code a frame is. */
export type Owner = 'ours' | 'dependency' | 'Node' | 'V8'

/** A function, with the time in it and in what it called, in milliseconds. */
export interface Frame {
  readonly label: string
  readonly owner: Owner
  ms: number
  readonly callees: Map<string, Frame>
}

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  /** Microseconds between a sample and the one before. */
  timeDeltas: z.array(z.number()),
})
type Profile = z.infer<typeof Profile>

const calls = 1_000
/** Calls that load and compile what the others use. */
const warmUp = 200
const intervalMicroseconds = 200

/** Profiles calls of a tool, one after another, and returns the frame under which all others are. */
export async function profileTool({ server: { name, prefix }, environment, tools }: TimedServer, tool: string): Promise<Frame> {
  const directory = mkdtempSync(path.join(tmpdir(), 'profile-'))
  try {
    await using vendor = await startVendor(name)
    const server = await startServer({
      main: path.join(root, 'apps', name, 'src', 'main.ts'),
      options: ['--cpu-prof', `--cpu-prof-dir=${directory}`, `--cpu-prof-interval=${intervalMicroseconds}`],
      environment: {
        ...{ PATH: process.env['PATH'] ?? '', MCP_TOOLKITS_DATA_DIR: path.join(directory, 'data') },
        ...environment(vendor.url),
      },
    })
    const call = async (index: number) => {
      const reply = await server.call(`${prefix}_${tool}`, tools[tool]?.(index) ?? {})
      if (!reply || reply.isError) throw new Error(`${tool}: ${reply?.text ?? 'no answer'}`)
    }
    for (let index = 0; index < warmUp; index += 1) await call(index)
    const started = performance.now()
    for (let index = 0; index < calls; index += 1) await call(warmUp + index)
    const ended = performance.now()
    await server.end()
    const file = readdirSync(directory).find((each) => each.endsWith('.cpuprofile')) ?? ''
    const profile = Profile.parse(JSON.parse(readFileSync(path.join(directory, file), 'utf8')))
    return fold(profile, { label: `${calls.toLocaleString('en')} calls of ${tool}`, lastMs: ended - started })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Adds up the samples of the last milliseconds by their stacks, without those in which nothing ran. */
function fold({ nodes, samples, timeDeltas }: Profile, { label, lastMs }: { readonly label: string; readonly lastMs: number }): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ id, children }) => children.map((child) => [child, id])))
  const top: Frame = { label, owner: 'V8', ms: 0, callees: new Map() }
  let left = 1_000 * lastMs
  for (let index = samples.length - 1; index >= 0 && left > 0; index -= 1) {
    const delta = timeDeltas[index] ?? 0
    left -= delta
    const stack: Profile['nodes'][number]['callFrame'][] = []
    for (let id = samples[index]; id !== undefined; id = callers.get(id)) {
      const frame = byId.get(id)?.callFrame
      if (frame && frame.functionName !== '(root)') stack.unshift(frame)
    }
    if (stack[0]?.functionName !== '(idle)') addStack(top, stack, delta / 1_000)
  }
  return top
}

/** Frames of Node, or of one library, that follow each other count as one, so that what is seen is who calls whom. */
function addStack(top: Frame, stack: readonly Profile['nodes'][number]['callFrame'][], ms: number): void {
  top.ms += ms
  let caller = top
  let lastModule: string | undefined
  for (const { functionName, url } of stack) {
    const { module, owner } = moduleOf(url, functionName)
    if (functionName === 'runMicrotasks' || (owner !== 'ours' && module === lastModule)) continue
    const label = owner === 'ours' ? `${functionName || 'anonymous'} · ${module}` : owner === 'Node' ? nodeModuleOf(url) : module
    let callee = caller.callees.get(label)
    if (!callee) caller.callees.set(label, (callee = { label, owner, ms: 0, callees: new Map() }))
    callee.ms += ms
    caller = callee
    lastModule = module
  }
}

/** `node:internal/deps/undici/undici` is shown as `Node: undici`. */
const nodeModuleOf = (url: string) =>
  `Node: ${url
    .replace('node:', '')
    .replace(/^internal\//, '')
    .replace(/^deps\/([^/]+)\/.*$/, '$1')}`

function moduleOf(url: string, functionName: string): { readonly module: string; readonly owner: Owner } {
  if (url === '') return { module: functionName.replace(/^\((.*)\)$/, '$1'), owner: 'V8' }
  if (url.startsWith('node:')) return { module: 'Node', owner: 'Node' }
  const dependency = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (dependency !== undefined) return { module: dependency, owner: 'dependency' }
  return { module: url.replace(/^.*\/(?:packages|apps)\//, '').replace('/src/', '/'), owner: 'ours' }
}
