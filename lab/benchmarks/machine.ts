// The machine that runs a benchmark, and its load.
import { cpus, loadavg, totalmem } from 'node:os'

export interface Machine {
  readonly node: string
  readonly processor: string
  readonly cores: number
  readonly memory_gb: number
  /** Processes that ran or waited for a core, on average over a minute: before the run, and at its end. */
  readonly load_before: number
  readonly load_after: number
}

/** Call this before the run, and the function that it returns at the end. */
export function observeMachine(): () => Machine {
  const before = load()
  const processors = cpus()
  return () => ({
    node: process.versions.node,
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    load_before: before,
    load_after: load(),
  })
}

function load(): number {
  const [minute = 0] = loadavg()
  return Math.round(10 * minute) / 10
}

/** A sentence on the machine, for the page. */
export function describeMachine({ node, processor, cores, memory_gb: memory, load_before: before, load_after: after }: Machine): string {
  return `Node ${node}, ${cores} cores (${processor}), ${memory} GB of memory; load ${before} before the run and ${after} at its end.`
}
