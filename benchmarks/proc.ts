// What Linux reports about a running process; null on other systems.
import { readFileSync } from 'node:fs'

type Pid = number | null | undefined

/** Peak memory so far, in MB. */
export function peakOf(pid: Pid): number | null {
  if (process.platform !== 'linux') return null
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 102.4) / 10
}

/** Processor time of the main thread in milliseconds, which load affects less than elapsed time. */
export function processorTimeOf(pid: Pid): number | null {
  if (process.platform !== 'linux') return null
  const [nanoseconds] = readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
