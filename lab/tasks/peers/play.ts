// Plays the solutions for other servers.
import { figuresOf, type Figures } from '../run.ts'
import { openVendors, type Session } from '../session.ts'
import type { Task } from '../task.ts'
import { linearMcp } from './linear-mcp.ts'
import { mcpGoogleDrive } from './mcp-google-drive.ts'
import { mcpServerLinear } from './mcp-server-linear.ts'
import type { peerPackages } from './packages.ts'
import { type PeerSolution, type PeerSolutions, valueOf } from './peer.ts'
import { piotrAgier } from './piotr-agier.ts'
import { type PeerPlaces, peers, peerServers } from './servers.ts'
import { tacticlaunch } from './tacticlaunch.ts'

const solutions = new Map<string, PeerSolutions>(
  Object.entries({
    '@tacticlaunch/mcp-linear': tacticlaunch,
    'mcp-server-linear': mcpServerLinear,
    'linear-mcp': linearMcp,
    '@piotr-agier/google-drive-mcp': piotrAgier,
    'mcp-google-drive': mcpGoogleDrive,
  } satisfies Record<keyof typeof peerPackages, PeerSolutions>),
)

export interface PeerRow extends Partial<Figures> {
  readonly peer: string
  readonly id: string
  /** The way a task ended: the right state, no tool for it, an error, or a wrong state. */
  readonly outcome: 'right' | 'cannot' | 'fails' | 'wrong'
  readonly reason?: string
}

export async function playPeers(tasks: readonly Task[], places: PeerPlaces): Promise<PeerRow[]> {
  await using vendors = openVendors()
  const played: PeerRow[] = []
  for (const [peer, { vendor }] of peers) {
    const servers = peerServers(peer, places) ?? {}
    for (const task of tasks.filter((each) => each.vendors.join() === vendor)) {
      const solution = solutions.get(peer)?.[task.id]
      if (solution === undefined) throw new Error(`${peer} has no solution of ${task.id}.`)
      if (typeof solution === 'string') {
        played.push({ peer, id: task.id, outcome: 'cannot', reason: solution })
        continue
      }
      await using session = await vendors.begin(task, servers)
      played.push({ peer, id: task.id, ...(await play(session, solution)) })
    }
  }
  return played
}

async function play(session: Session, solution: Exclude<PeerSolution, string>): Promise<Omit<PeerRow, 'peer' | 'id'>> {
  try {
    const answer = await solution(async (tool, args = {}) => {
      const call = () => session.toolbox.call(tool, { ...args })
      const first = await call()
      // An agent whose connection broke would repeat the call.
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
