import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'

export const program = path.join(import.meta.dirname, '..', 'apps', 'event-pipeline', 'dist', 'main.js')

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Runs the built command to its end. */
export async function run(args: readonly string[], { environment = {}, input = '' }: RunOptions = {}): Promise<Finished> {
  const child = start(args, environment)
  child.stdin.end(input)
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), promise])
  return { code, output, errors }
}

/** Starts the built command with an environment of its own. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, [program, ...args], { env: { PATH, HOME, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] })
}
