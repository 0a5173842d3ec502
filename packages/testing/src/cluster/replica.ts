import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../postgres/daemon.ts'
import { baseEnvironment, collectOutput } from '../processes/process.ts'

/** One of several servers that share a store. It keeps its port when restarted. */
export interface Replica extends AsyncDisposable {
  readonly port: number
  /** Ends in `/mcp`. */
  readonly url: string
  readonly pid: () => number | undefined
  /** Kills the process without giving it a chance to react. Resolves when it has ended. */
  readonly kill: () => Promise<void>
  /** Starts the server again and resolves once it is serving. */
  readonly restart: () => Promise<void>
  /** Asks the server to shut down, and resolves with its exit code. */
  readonly terminate: () => Promise<number | null>
  /** Everything that the server has written to standard error. */
  readonly errors: () => string
}

export interface ReplicaOptions {
  /** The app's name. */
  readonly app: string
  readonly environment: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Any free port by default. */
  readonly port?: number
}

/** Starts the built command with its own data directory. */
export async function startReplica({ app, environment, args = [], port: wanted }: ReplicaOptions): Promise<Replica> {
  const main = path.join(import.meta.dirname, '..', '..', '..', '..', 'apps', app, 'dist', 'main.js')
  const port = wanted ?? (await freePort())
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'replica-'))
  let errors = ''
  let child: ChildProcess | undefined
  let ended = Promise.resolve<number | null>(null)
  const start = async () => {
    const words = [main, 'http', '--port', String(port), '--data-dir', dataDirectory, '--log-level', 'error', ...args]
    const started = spawn(process.execPath, words, { env: { ...baseEnvironment(), ...environment }, stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    ended = once(started, 'close').then(() => started.exitCode)
    const output = collectOutput(started.stderr)
    started.stderr.on('data', (text: string) => (errors += text))
    const url = await Promise.race([output.match(/ serves (http:\/\/\S+)\n/), ended])
    if (typeof url !== 'string') throw new Error(`The server did not start: ${output.all()}`)
  }
  const end = async (signal: NodeJS.Signals) => {
    child?.kill(signal)
    return ended
  }
  await start()
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    errors: () => errors,
    pid: () => child?.pid,
    restart: start,
    terminate: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
