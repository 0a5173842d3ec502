import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface Child {
  /** Sends one line and returns the answer, which is JSON. */
  readonly ask: (line: string) => Promise<unknown>
  /** The next answer, even if there was no question: the script prints one when it is ready. */
  readonly next: () => Promise<unknown>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Resolves when the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  readonly ended: Promise<unknown>
}

/** Runs the script at a path, which answers each line of its input with a line of JSON. The process is killed after the test. */
export function startChild(script: string, args: readonly string[]): Child {
  return connect(spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] }))
}

/** The same for a process that cannot write a file larger than this many blocks; the size of a block depends on the shell. */
export function startLimitedChild(script: string, args: readonly string[], blocks: number): Child {
  const command = ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, script, ...args]
  return connect(spawn('sh', command, { stdio: ['pipe', 'pipe', 'inherit'] }))
}

function connect(child: ChildProcess): Child {
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new Error('The process has no pipes.')
  const ended = once(child, 'exit')
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  onTestFinished(() => end('SIGKILL'))
  const next = async () => {
    const { value } = await answers.next()
    const answer: unknown = JSON.parse(String(value))
    return answer
  }
  return {
    ask(line) {
      stdin.write(`${line}\n`)
      return next()
    },
    next,
    signal: (signal) => child.kill(signal),
    end,
    ended,
  }
}
