import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { systemErrorCode } from '@mcp-toolkits/core/errors'

/** The system account that a program runs as. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

export interface DaemonOptions {
  readonly command: string
  readonly args: readonly string[]
  /** Line on standard error saying that it is ready. */
  readonly readyText: string
  /** Deleted when this process dies without stopping the program. */
  readonly directory: string
  /** This process's own by default. */
  readonly account?: Account | undefined
}

export interface RunningDaemon {
  /** Settles when the program has ended. */
  readonly ended: Promise<unknown>
  /** Ends the program and resolves when it has ended. */
  readonly stop: () => Promise<void>
}

/** Program that ends with its child. The end of standard input means that this process is gone; a line means that the child must stop. */
const keeper = `
directory=$1; shift
"$@" & child=$!
{ if read -r line <&3; then kill -INT $child; else kill -INT $child; wait $child; rm -rf "$directory"; fi; } 2> /dev/null &
reader=$!
wait $child; code=$?
kill $reader 2> /dev/null
exit $code`

/** Runs a program that serves until it is stopped. It ends when this process does, for whatever reason. */
export async function startDaemon({ command, args, readyText, directory, account }: DaemonOptions): Promise<RunningDaemon> {
  const child = spawn('sh', ['-c', `exec 3<&0\n${keeper}`, 'sh', directory, command, ...args], {
    ...account,
    cwd: directory,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  const ready = new Promise<void>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-10_000)
      if (output.includes(readyText)) resolve()
    })
  })
  const failed = ended.then(() => Promise.reject(new Error(`${command} does not run: ${output}`)))
  await Promise.race([ready, failed])
  failed.catch(() => undefined)
  return {
    ended,
    async stop() {
      if (child.exitCode === null && child.stdin.writable) child.stdin.end('stop\n')
      await ended
    },
  }
}

/**
 * A loopback port that nothing is listening on. It lies below the ports that systems assign to connections and to servers on port 0, so
 * nothing else takes it before the server starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (systemErrorCode(error) === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

/** An account for servers that refuse to run as root; undefined if this process is not root. Debian's PostgreSQL package creates it. */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres')
  if (!fields) throw new Error('Servers do not run as root, and this machine has no account named postgres.')
  return { uid: Number(fields[2]), gid: Number(fields[3]) }
}
