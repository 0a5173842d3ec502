import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { isObject, member } from '@mcp-toolkits/core/base'
import { baseEnvironment } from '../command.ts'
import { modern } from '../../packages/testing/src/processes/protocol.ts'
import type { Arguments } from '../../packages/testing/src/vendors/vendor.ts'

/** The answer to a call, from a process that lives long enough to give one. */
export interface Answer {
  readonly isError: boolean
  /** The structured result, or the error. */
  readonly result: Readonly<Record<string, unknown>>
  /** True for the stored result of an earlier call with the same key. */
  readonly isReplay: boolean
}

export interface Call {
  /** The tool's name, with the server's prefix. */
  readonly name: string
  readonly args: Arguments
  readonly key?: string | undefined
}

/** The system calls at which a process can be killed: those that change files, and those with which the main thread writes to a pipe. */
export type Writes = 'files' | 'output'

/** The built command over stdio, which is killed without a chance to notice. */
export interface KillableServer extends AsyncDisposable {
  /** Makes a call; resolves with undefined if the process died without answering. */
  readonly call: (call: Call) => Promise<Answer | undefined>
  /** Kills the process on entry to the `number`th of these system calls from now on, before the call has an effect. */
  readonly killAt: (writes: Writes, number: number) => Promise<void>
  readonly kill: () => void
  /** Ends the input; the process then finishes the calls that it has accepted. */
  readonly end: () => Promise<void>
  /** The system call at which `killAt` ended the process, as in `pwrite64`. */
  readonly lastWrite: () => Promise<string>
}

/**
 * The system calls of each kind; a `?` marks those that not every platform has. Opening a file needs no kill point, because writing follows
 * it.
 */
const systemCalls: Readonly<Record<Writes, string>> = {
  files:
    'pwrite64,pwritev,?pwritev2,fsync,fdatasync,ftruncate,?rename,?renameat,renameat2,?unlink,unlinkat,?link,linkat,?mkdir,mkdirat,?chmod,fchmod,fchmodat',
  output: 'write',
}

/**
 * Starts the server, and waits on descriptor 3 for the arguments that attach strace to it. The shell becomes strace, because a kernel may
 * let only a process's ancestors trace it (https://docs.kernel.org/admin-guide/LSM/Yama.html).
 */
const launcher = 'exec 4<&0; "$@" <&4 4<&- & read -r -a options <&3 && exec strace "${options[@]}" -p $!; wait'

/** The reason why processes cannot be killed at system calls on this machine: strace is missing, or is not allowed to trace. */
export function whyNotTraced(): string | undefined {
  const { status, stderr } = spawnSync('bash', ['-c', 'sleep 1 & exec strace -o /dev/null -e inject=write:signal=KILL:when=9 -p $!'])
  return status === 0 ? undefined : String(stderr).trim()
}

export interface StartOptions {
  readonly app: string
  readonly environment: Readonly<Record<string, string>>
  readonly dataDirectory: string
  /** Maximum size of a file, in blocks of 1,024 bytes; a larger one fails as if the disk were full. */
  readonly maxFileBlocks?: number | undefined
}

export async function startKillable({ app, environment, dataDirectory, maxFileBlocks }: StartOptions): Promise<KillableServer> {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const log = path.join(await mkdtemp(path.join(tmpdir(), 'kill-')), 'strace.txt')
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks}; `
  const words = [process.execPath, main, '--log-level', 'error', '--data-dir', dataDirectory]
  // Started in a separate process group, so that one signal ends the server and its tracer.
  const child = spawn('bash', ['-c', limit + launcher, 'bash', ...words], {
    detached: true,
    env: { ...baseEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const control = child.stdio[3]
  const waiting = new Map<string, (answer: Answer) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line)
    waiting.get(String(member(message, 'id')))?.(answerOf(member(message, 'result')))
  })
  let errors = ''
  const looks = new Set<() => void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
    for (const look of looks) look()
  })
  // The input closes when the process dies.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(() => undefined)
  let calls = 0
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  return {
    kill,
    async end() {
      child.stdin.end()
      control?.destroy()
      await ended
    },
    async call({ name, args, key }) {
      const { promise, resolve } = Promise.withResolvers<Answer>()
      const id = `call-${(calls += 1)}`
      waiting.set(id, resolve)
      child.stdin.write(`${requestLine(id, { name, args, key })}\n`)
      return Promise.race([promise, ended]).finally(() => waiting.delete(id))
    },
    async killAt(writes, number) {
      if (!control || !('write' in control)) throw new Error('There is no descriptor to control the process with.')
      const names = systemCalls[writes]
      // strace counts each thread separately: files are also written by the pool's threads, output only by the main thread.
      const options = [
        ...(writes === 'files' ? ['-f'] : []),
        '-o',
        log,
        '-e',
        `trace=${names}`,
        '-e',
        `inject=${names}:signal=KILL:when=${number}`,
      ]
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const look = () => {
        if (errors.includes('attached')) resolve(undefined)
      }
      looks.add(look)
      control.write(`${options.join(' ')}\n`)
      await Promise.race([promise, ended])
      if (!errors.includes('attached')) throw new Error(`strace did not start: ${errors}`)
    },
    async lastWrite() {
      await ended
      const lines = (await readFile(log, 'utf8')).split('\n')
      return /^(?:\d+ +)?(?:<\.\.\. )?(\w+)/.exec(lines.findLast((line) => line.endsWith('= ?')) ?? '')?.[1] ?? 'unknown'
    },
    async [Symbol.asyncDispose]() {
      kill()
      await ended
      await rm(path.dirname(log), { recursive: true, force: true })
    },
  }
}

function requestLine(id: string, { name, args, key }: Call): string {
  const meta = key === undefined ? {} : { 'mcp-toolkits/idempotency-key': key }
  return modern(id, 'tools/call', { name, arguments: args, _meta: meta }).body ?? ''
}

function answerOf(result: unknown): Answer {
  const isError = member(result, 'isError') === true
  const content = isError ? errorIn(member(result, 'content')) : member(result, 'structuredContent')
  const isReplay = member(member(result, '_meta'), 'mcp-toolkits/replayed') === true
  return { isError, isReplay, result: isObject(content) ? content : {} }
}

function errorIn(content: unknown): unknown {
  const text = Array.isArray(content) ? member(content[0], 'text') : undefined
  return typeof text === 'string' ? member(JSON.parse(text), 'error') : undefined
}
