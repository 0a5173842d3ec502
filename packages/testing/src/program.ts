import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { runCli } from '@mcp-toolkits/server/cli'
import { onTestFinished } from 'vitest'

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** What is undefined is not set. */
export type ProgramEnvironment = Readonly<Record<string, string | undefined>>

/** A program of ours that runs, with what it has said. */
export interface Running {
  /** The next line on standard output that fits. */
  readonly line: (fits: RegExp) => Promise<string>
  readonly say: (line: string) => void
  /** Has nothing more to say. */
  readonly end: () => void
  readonly kill: (signal: NodeJS.Signals) => void
  readonly finished: Promise<Finished>
}

/** Starts a program of Node with an environment of its own; it is killed after the test if it still lives. */
export function start(program: readonly string[], environment: ProgramEnvironment): Running {
  return started([process.execPath, ...program], environment)
}

/** The same at a terminal, where both kinds of output are one, and Ctrl-C is said as `\u0003`. Needs `script` of util-linux. */
export function startAtTerminal(program: readonly string[], environment: ProgramEnvironment): Running {
  const quoted = [process.execPath, ...program].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  return started(['script', '--quiet', '--flush', '--return', '--command', quoted.join(' '), '/dev/null'], environment)
}

function started([command = '', ...args]: readonly string[], environment: ProgramEnvironment): Running {
  const child = spawn(command, args, { stdio: 'pipe', env: { ...environment } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = Promise.withResolvers<number | null>()
  child.once('close', ended.resolve)
  const finished = Promise.all([text(child.stdout), text(child.stderr), ended.promise]).then(([output, errors, code]) => ({
    code,
    output,
    errors,
  }))
  return {
    finished,
    line: lineReader(child.stdout, finished),
    say: (line) => void child.stdin.write(`${line}\n`),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
  }
}

function lineReader(stream: Readable, finished: Promise<Finished>): Running['line'] {
  const lines: AsyncIterator<string, undefined> = createInterface({ input: stream })[Symbol.asyncIterator]()
  return async (fits) => {
    for (;;) {
      const next = await lines.next()
      if (next.done === true) throw new Error(`It ended without ${fits.source}: ${JSON.stringify(await finished)}`)
      if (fits.test(next.value)) return next.value
    }
  }
}

/** Starts a server's command in this process, which is much faster than a process for each; it is interrupted after the test. */
export function startCommand<Context>(
  definition: ServerDefinition<Context>,
  args: readonly string[],
  environment: ProgramEnvironment,
): Running {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const interrupts: (() => void)[] = []
  const interrupt = () => {
    for (const stop of interrupts) stop()
  }
  onTestFinished(interrupt)
  const onSignal = (stop: () => void) => interrupts.push(stop)
  const ended = runCli(definition, args, { input, output, errors, environment, program: definition.name, onSignal }).finally(() => {
    output.end()
    errors.end()
  })
  const finished = Promise.all([text(output), text(errors), ended]).then(([printed, reported, code]) => ({
    code,
    output: printed,
    errors: reported,
  }))
  return {
    finished,
    line: lineReader(output, finished),
    say: (line) => void input.write(`${line}\n`),
    end: () => void input.end(),
    kill: interrupt,
  }
}

/** Runs a server's command in this process to its end, without input. */
export async function runCommand<Context>(
  definition: ServerDefinition<Context>,
  args: readonly string[],
  environment: ProgramEnvironment,
): Promise<Finished> {
  const running = startCommand(definition, args, environment)
  running.end()
  return running.finished
}

/** Runs a program of Node to its end; nothing is said to it. */
export async function run(program: readonly string[], environment: ProgramEnvironment): Promise<Finished> {
  const running = start(program, environment)
  running.end()
  return running.finished
}
