import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@mcp-toolkits/testing/postgres'
import { baseEnvironment, collectOutput } from '../../packages/testing/src/processes/process.ts'

/** The program of a container or systemd unit: a server with its arguments and variables. */
export interface ServedProgram {
  readonly app: string
  /** The arguments after the program. */
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** A server that runs as a process on this machine. */
export interface NativeServer extends AsyncDisposable {
  readonly port: number
  readonly metricsPort: number
  readonly errors: () => string
  /** Runs a health check with the container's ports replaced, and resolves with its exit code. */
  readonly runHealthcheck: (words: readonly string[]) => Promise<number>
  readonly kill: () => Promise<void>
  /** Asks the server to end, and resolves with its exit code. */
  readonly terminate: () => Promise<number | null>
}

/** A container's ports. */
const served = '3000'
const metrics = '9464'

/**
 * Starts a server with the arguments and variables of a container, except for those that differ on this machine: the ports, the address,
 * and the texts in `replaced`.
 */
export async function startNative(
  { app, args, environment }: ServedProgram,
  replaced: Readonly<Record<string, string>>,
): Promise<NativeServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'deploy-server-'))
  const [port, metricsPort] = [await freePort(), await freePort()]
  const own = { ...replaced, '0.0.0.0': '127.0.0.1', [served]: `${port}`, [metrics]: `${metricsPort}`, '/data': directory }
  const here = (text: string) => replaceAll(text, own)
  const variables = { ...imageVariables(), ...environment }
  const env = { ...baseEnvironment(), ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, here(value)])) }
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const child = spawn(process.execPath, [main, ...args.map(here)], { env, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  const output = collectOutput(child.stderr)
  const ended = once(child, 'close').then(() => child.exitCode)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  const url = await Promise.race([output.match(/ serves (http:\/\/\S+)\n/), ended])
  if (typeof url !== 'string') throw new Error(`${app} did not start: ${output.all()}`)
  return {
    port,
    metricsPort,
    errors: output.all,
    async runHealthcheck([, ...words]) {
      return promisify(execFile)(process.execPath, words.map(here)).then(
        () => 0,
        () => 1,
      )
    },
    async kill() {
      await end('SIGKILL')
    },
    terminate: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Replaces texts that are whole words or end in a slash. */
function replaceAll(text: string, replaced: Readonly<Record<string, string>>): string {
  const escaped = Object.keys(replaced).map((each) => each.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return text.replaceAll(new RegExp(`(?<!\\w)(?:${escaped.join('|')})(?:(?<=/)|(?!\\w))`, 'g'), (found) => replaced[found] ?? found)
}

/** The variables that the Dockerfile sets. */
function imageVariables(): Record<string, string> {
  const dockerfile = readFileSync(path.join(import.meta.dirname, '..', '..', 'Dockerfile'), 'utf8')
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)?.[1] ?? ''
  const pairs = block.split(/[\s\\]+/).filter((word) => word.includes('='))
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
