// Plays the solutions of other servers, in the versions of the benchmark beside peers. Needs npm.
import { candidates, programOf } from '../../benchmarks/peers/catalog.ts'
import { install } from '../../benchmarks/peers/install.ts'
import { figuresOf, type Figures } from '../run.ts'
import type { ServerCommand } from '../servers.ts'
import { openVendors, type Servers, type Session } from '../session.ts'
import type { Task, Vendor } from '../task.ts'
import { mcpServerLinear } from './mcp-server-linear.ts'
import { type PeerSolution, type PeerSolutions, valueOf } from './peer.ts'
import { piotrAgier } from './piotr-agier.ts'
import { tacticlaunch } from './tacticlaunch.ts'

interface Peer {
  readonly vendor: Vendor
  readonly solutions: PeerSolutions
}

/** By their names on npm. */
const peers: Readonly<Record<string, Peer>> = {
  '@tacticlaunch/mcp-linear': { vendor: 'linear', solutions: tacticlaunch },
  'mcp-server-linear': { vendor: 'linear', solutions: mcpServerLinear },
  '@piotr-agier/google-drive-mcp': { vendor: 'drive', solutions: piotrAgier },
}

export const peerNames: readonly string[] = Object.keys(peers)

/** The server of a peer, by its name on npm. */
export function peerServers(name: string): Servers | undefined {
  const peer = peers[name]
  return peer && { [peer.vendor]: commandOf(name) }
}

export interface PeerRow extends Partial<Figures> {
  readonly peer: string
  readonly id: string
  /** End of the task: right, without a tool for it, with an error, or with a state that is not right. */
  readonly outcome: 'right' | 'cannot' | 'fails' | 'wrong'
  readonly reason?: string
}

export async function playPeers(tasks: readonly Task[]): Promise<PeerRow[]> {
  await using vendors = openVendors()
  const played: PeerRow[] = []
  for (const [peer, { vendor, solutions }] of Object.entries(peers)) {
    const command = commandOf(peer)
    for (const task of tasks.filter((each) => each.vendors.join() === vendor)) {
      const solution = solutions[task.id]
      if (solution === undefined) throw new Error(`${peer} has no solution of ${task.id}.`)
      if (typeof solution === 'string') {
        played.push({ peer, id: task.id, outcome: 'cannot', reason: solution })
        continue
      }
      await using session = await vendors.begin(task, { [vendor]: command })
      played.push({ peer, id: task.id, ...(await play(session, solution)) })
    }
  }
  return played
}

/** The installed peer, whose requests go to the vendor on this machine. */
function commandOf(name: string): ServerCommand {
  const candidate = candidates.find((each) => each.name === name)
  if (!candidate) throw new Error(`There is no peer ${name}.`)
  const nowhere = { bytes: 0, id: '' }
  const world = { team: '', issue: '', path: '', folder: '', text: '', localFile: '', sourceUrl: 'http://127.0.0.1', directory: '' }
  const recordings = { '1 MiB': nowhere, '64 MiB': nowhere }
  const {
    main,
    options = [],
    environment,
  } = programOf(candidate, install(candidate).directory, { ...world, recordings, upstream: '{url}' })
  return { command: process.execPath, args: [...options, main], environment }
}

async function play(session: Session, solution: Exclude<PeerSolution, string>): Promise<Omit<PeerRow, 'peer' | 'id'>> {
  try {
    const answer = await solution(async (tool, args = {}) => {
      const call = () => session.toolbox.call(tool, { ...args })
      const first = await call()
      // An agent whose connection broke calls again.
      const { isError, text } = first.isError && /fetch failed|ECONNRESET/i.test(first.text) ? await call() : first
      if (isError) throw new Error(`${tool}: ${text}`)
      return valueOf(text)
    })
    const figures = figuresOf(session)
    const { missing, harm } = await session.verdict(answer)
    const [reason] = [...harm, ...missing.map((each) => `missing: ${each}`)]
    return reason === undefined ? { outcome: 'right', ...figures } : { outcome: 'wrong', reason, ...figures }
  } catch (error) {
    return { outcome: 'fails', reason: error instanceof Error ? error.message : String(error) }
  }
}
