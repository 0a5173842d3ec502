import { once } from 'node:events'
import path from 'node:path'
import envPaths from 'env-paths'
import type { CommandDefinition, CommandEmulator } from './definition.ts'
import { type CommandLine, type OwnOptions, readOptions, UsageError } from './options.ts'
import { type EmulatorListener, isLoopback } from '../listen.ts'
import { hostProblem } from '../webhooks.ts'

export type { CommandDefinition, CommandEmulator, OpenCommandOptions } from './definition.ts'

/** One emulator's command; the default data directory is derived from its name. */
export type CommandDescription = Omit<CommandDefinition, 'dataDirectory'>

/** `--webhooks-to`, for an emulator that sends requests to other machines. */
export function webhookOptions(sent: string): OwnOptions {
  const description = `a host that ${sent} may be sent to besides this machine; can be repeated`
  return { 'webhooks-to': { placeholder: 'HOST', description, problem: hostProblem } }
}

/** Runs an emulator's command. Its default data directory is named after it, separate from the servers'. */
export async function runEmulatorCommand(description: CommandDescription, program: CommandProcess): Promise<number> {
  return runCommand({ ...description, dataDirectory: envPaths(description.name, { suffix: '' }).data }, program)
}

/** The process in which a command runs. */
export interface CommandProcess {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
  readonly once: (signal: 'SIGINT' | 'SIGTERM', stop: () => void) => unknown
}

/** Runs an emulator until a signal ends it. Resolves with the exit code: 0 for success, 1 for an error, 2 for a usage error. */
export async function runCommand(definition: CommandDefinition, program: CommandProcess): Promise<number> {
  const { argv, env, stdout, stderr } = program
  // A reader that leaves early, as in `| head`, must not end the emulator.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
  const print = (text: string) => write(stdout, text)
  const stopped = Promise.withResolvers<undefined>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    program.once(signal, () => {
      stopped.resolve(undefined)
    })
  try {
    const line = readOptions(argv.slice(2), env, definition)
    if (line.version) return await print(definition.version)
    if (line.help) return await print((await import('./definition.ts')).helpText(definition))
    const file = line.memory
      ? undefined
      : path.join(line.dataDirectory ?? definition.dataDirectory, `${definition.name.replace(/-emulator$/, '')}.db`)
    const emulator = await definition.open({
      ...(file !== undefined && { file }),
      ...(line.seed !== undefined && { seed: line.seed }),
      ...(line.credential !== undefined && { credential: line.credential }),
      own: line.own,
    })
    try {
      const listener = await listen(emulator, line, definition)
      const notice = await emulator.seedNotice()
      if (notice !== undefined) await write(stderr, `${definition.name}: ${notice}`)
      await print(announcement(definition, line, { listener, file }))
      await stopped.promise
    } finally {
      await emulator.close()
    }
    return 0
  } catch (error) {
    return await fail(definition, stderr, error)
  }
}

async function write(stream: NodeJS.WritableStream, text: string): Promise<0> {
  if (!stream.write(`${text}\n`)) await Promise.race([once(stream, 'drain'), once(stream, 'close')])
  return 0
}

async function listen(emulator: CommandEmulator, { host, port, controlToken }: CommandLine, definition: CommandDefinition) {
  const chosen = port ?? definition.port
  return emulator.listen({ host, port: chosen, ...(controlToken !== undefined && { controlToken }) }).catch((error: unknown) => {
    throw listenProblem(error, host, chosen) ?? error
  })
}

function listenProblem(error: unknown, host: string, port: number): UsageError | undefined {
  const elsewhere = `${JSON.stringify(host)} is not an address of this machine. Choose another with --host.`
  const texts = new Map<unknown, string>([
    ['EADDRINUSE', `Port ${port} is in use. Stop the program listening there, or choose another with --port; 0 takes any free one.`],
    ['EACCES', `Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`],
    ['EADDRNOTAVAIL', elsewhere],
    ['ENOTFOUND', elsewhere],
    ['ERR_BAD_PORT', error instanceof Error ? error.message : ''],
  ])
  const text = texts.get(codeOf(error))
  return text === undefined ? undefined : new UsageError(text)
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

interface Serving {
  readonly listener: EmulatorListener
  readonly file: string | undefined
}

/** The output that tells a program, or a person, how to use the emulator. */
function announcement(definition: CommandDefinition, { json, host, ...line }: CommandLine, { listener, file }: Serving): string {
  const { url, controlToken } = listener
  const { service, version, credential, hint } = definition
  const accepted = line.credential ?? credential.value
  const workspace = isLoopback(host) ? `${url}/workspace` : undefined
  const control = `${url}/__emulator`
  if (json)
    return JSON.stringify({
      url,
      [credential.name]: accepted,
      control,
      controlToken,
      workspace: workspace ?? null,
      data: file ?? null,
      service,
      version,
    })
  return [
    `${service} is emulated on ${url} (${workspace === undefined ? 'other machines can reach it' : 'this machine only'}; no request is forwarded).`,
    hint(url, accepted),
    `Data: ${file ?? 'in memory, lost on exit'}`,
    ...(workspace === undefined ? [] : [`Workspace: ${workspace}`]),
    `To set faults, the clock or snapshots, or to reset, send "Authorization: Bearer ${controlToken}" to ${control}/faults, /clock, /snapshots/NAME and /reset.`,
  ].join('\n')
}

/** Prints an error that a person can fix, as one line; rethrows other errors, which are defects. */
async function fail({ name }: CommandDefinition, stderr: NodeJS.WritableStream, error: unknown): Promise<number> {
  if (error instanceof UsageError) {
    await write(stderr, `${name}: ${error.message} Try --help.`)
    return 2
  }
  if (!(error instanceof Error)) throw error
  const isSeed = 'problem' in error && error.problem === 'seed'
  const isExpected = codeOf(error) === 'ERR_STORE' || 'syscall' in error
  if (!isExpected) throw error
  await write(stderr, `${name}: ${error.message}${isSeed ? ' Correct it, or choose another seed with --seed.' : ''}`)
  return 1
}
