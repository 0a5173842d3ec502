// Facts that Linux reports about a running process; null on other systems.
import { readdirSync, readFileSync } from 'node:fs'

type Pid = number | null | undefined

/** Peak memory so far, in MB; null for a process that has ended. */
export function peakOf(pid: Pid): number | null {
  if (process.platform !== 'linux') return null
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readOrNothing(`/proc/${String(pid)}/status`))?.[1]
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 102.4) / 10
}

/** Processor time of the main thread, in milliseconds, which depends less on the machine's load than elapsed time. */
export function processorTimeOf(pid: Pid): number | null {
  if (process.platform !== 'linux') return null
  const [nanoseconds] = readFileSync(`/proc/${String(pid)}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}

/** Processor time of all of a process's live threads, in milliseconds. */
export function processorTimeOfThreads(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + Number(readOrNothing(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6, 0)
}

/** A process's current memory, in MB. */
export function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 102.4) / 10
}

/** This process's descendants whose programs have one of these names. */
export function processesNamed(names: readonly string[]): number[] {
  const parents = new Map<number, number>()
  const wanted: number[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const status = readOrNothing(`/proc/${pid}/status`)
    parents.set(pid, Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0))
    if (names.includes(/^Name:\s+(.*)/m.exec(status)?.[1] ?? '')) wanted.push(pid)
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid) ?? 0))
  return wanted.filter(isOurs)
}

/** Processor time of several single-threaded processes, and of their exited children, in milliseconds. */
export function processorTimeOfAll(pids: readonly number[]): number {
  const times = pids.map((pid) => {
    const running = Number(readOrNothing(`/proc/${pid}/schedstat`).split(' ')[0]) / 1e6
    // The fields after the program's name: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = readOrNothing(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
    return running + 10 * (Number(fields[13] ?? 0) + Number(fields[14] ?? 0))
  })
  return times.reduce((sum, time) => sum + time, 0)
}

/** Returns no text if the process has ended, which can happen at any time. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
