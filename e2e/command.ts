import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import { baseEnvironment } from '../packages/testing/src/processes/process.ts'

export { baseEnvironment } from '../packages/testing/src/processes/process.ts'

export const program = path.join(import.meta.dirname, '..', 'apps', 'event-pipeline', 'dist', 'main.js')

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** The working directory; by default, that of the tests. */
  readonly directory?: string
}

/** Makes a process collect garbage constantly, so that an unreferenced signal is lost at once. */
export const collectingGarbage = { NODE_OPTIONS: '--expose-gc --import=data:text/javascript,setInterval(gc,10).unref()' }

const children = new Set<ChildProcess>()
const directories = new Set<string>()
afterAll(async () => {
  const ended = [...children].map(exitOf)
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(ended)
  for (const directory of directories) await rm(directory, { recursive: true, force: true })
})

/** Creates an empty directory that is removed after the file's tests. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'e2e-'))
  directories.add(directory)
  return directory
}

/** A directory in which nothing can be created, not even by root. */
export const unwritableDirectory = '/proc/self/data'

/** Runs the built command to completion. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runNode([program, ...args], options)
}

/** Runs a Node program to completion. */
export async function runNode(args: readonly string[], { environment = {}, input = '', directory }: RunOptions = {}): Promise<Finished> {
  const child = startNode(args, environment, directory)
  child.stdin.end(input)
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)])
  return { code, output, errors }
}

/** Starts the built command. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return startNode([program, ...args], environment)
}

/** Starts a Node program; it is killed after the file's tests. */
export function startNode(args: readonly string[], environment: Readonly<Record<string, string>> = {}, directory?: string) {
  const env = { ...baseEnvironment(), ...environment }
  const child = spawn(process.execPath, args, { env, cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

/** When all output has been read, resolves with the exit code, or null after a signal. */
export async function exitOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.once('close', resolve)
  return children.has(child) ? promise : child.exitCode
}
