// Compares the candidates: installs them, starts them, gives them jobs, and makes the vendor fail.
import { type Machine, observeMachine } from '../machine.ts'
import { measureStart, type Start } from '../../../packages/testing/src/processes/measure-start.ts'
import { figuresOf, type Figures } from '../statistics.ts'
import { candidates, programOf } from './catalog.ts'
import { type EventRow, measureEvents } from './events.ts'
import { type FaultRow, measureFaults } from './faults.ts'
import { install, type Installed } from './install.ts'
import { type JobRow, measureJobs } from './jobs.ts'
import { type LossRow, measureLosses } from './losses.ts'
import { measureRepeats, type Repeats } from './repeats.ts'
import { senders } from './senders.ts'
import { openWorld, type OpenWorld } from './world.ts'

interface StartRow {
  readonly name: string
  readonly version: string
  readonly vendor: string
  readonly ms: Figures
  readonly peak_mb: number | null
  readonly tools: number
  readonly list_bytes: number
  readonly installed_mb: number
  readonly packages: number
}

/** Starts all servers in turn, again and again, so that load on the machine affects all of them. */
async function measureStarts(installed: readonly Installed[], open: OpenWorld, rounds: number): Promise<StartRow[]> {
  const starts = new Map<Installed, Start[]>(installed.map((each) => [each, []]))
  for (let round = -1; round < rounds; round += 1) {
    for (const [{ candidate, installation }, measured] of starts) {
      const start = await measureStart(programOf(candidate, installation.directory, open.world(candidate.vendor)), 'legacy')
      if (round >= 0) measured.push(start)
    }
  }
  return [...starts].map(([{ candidate, installation }, measured]) => ({
    ...{ name: candidate.name, version: candidate.spec?.split('@').at(-1) ?? 'this checkout', vendor: candidate.vendor },
    ms: figuresOf(measured.map(({ ms }) => ms)),
    peak_mb: measured.every(({ peakMb }) => peakMb !== null) ? Math.max(...measured.map(({ peakMb }) => peakMb ?? 0)) : null,
    ...{ tools: measured[0]?.tools ?? 0, list_bytes: measured[0]?.listBytes ?? 0 },
    ...{ installed_mb: installation.megabytes, packages: installation.packages },
  }))
}

/** The parts that can be measured on their own. */
export const sections = ['starts', 'jobs', 'faults', 'events', 'losses', 'repeats'] as const
export type Section = (typeof sections)[number]

export interface PeerResults {
  readonly machine: Machine
  readonly rounds: number
  readonly starts: readonly StartRow[]
  readonly jobs: readonly JobRow[]
  readonly faults: readonly FaultRow[]
  readonly events: readonly EventRow[]
  readonly losses: readonly LossRow[]
  readonly repeats: Repeats
}

export interface PeerRun {
  /** Sections to measure; the other results stay empty. */
  readonly chosen: readonly Section[]
  /** Number of starts of each server, and of rounds of each job, with and without a late vendor. */
  readonly rounds: number
  /** Number of rounds of events for each sender, with and without a late vendor; these take longer. */
  readonly eventRounds: number
  /** True to measure late and failing vendors too, which takes minutes. */
  readonly withFaults: boolean
}

export async function runPeers({ chosen, rounds, eventRounds, withFaults }: PeerRun): Promise<PeerResults> {
  const machine = observeMachine()
  const has = (...names: readonly Section[]) => names.some((name) => chosen.includes(name))
  const ofServers = has('starts', 'jobs', 'faults', 'repeats') ? candidates : []
  const installed = ofServers.map((candidate) => ({ candidate, installation: install(candidate) }))
  await using open = await openWorld()
  const starts = has('starts') ? await measureStarts(installed, open, rounds) : []
  const jobs = has('jobs') ? await measureJobs(installed, { open, rounds, withLate: withFaults }) : []
  const faults = has('faults') && withFaults ? await measureFaults(installed, open) : []
  const repeats = await measureRepeats(has('repeats') ? installed : [], open)
  const ofSenders = has('events', 'losses') ? senders : []
  const installedSenders = ofSenders.map((sender) => ({ sender, installation: install(sender) }))
  const events = has('events') ? await measureEvents(installedSenders, eventRounds, withFaults) : []
  const losses = has('losses') ? await measureLosses(installedSenders) : []
  return { machine: machine(), rounds, starts, jobs, faults, events, losses, repeats }
}
