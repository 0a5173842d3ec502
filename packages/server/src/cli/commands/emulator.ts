import path from 'node:path'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { errorFields, type Log } from '../../mcp/log.ts'
import type { TaskDesk } from '../../mcp/tasks/desk-types.ts'
import { shownTasks } from '../../mcp/tasks/shown-tasks.ts'
import { type Console, print, waitForSignal } from '../command.ts'
import type { Command } from './command-type.ts'
import { listenError } from '../process/listen-error.ts'
import { withInvocation } from '../invocation.ts'

/** Serves only the emulator of the vendor's API, for other programs to test against. */
export const emulator: Command = async (definition, { settings, port = 0 }, console) => {
  const emulatorHandle = await (await definition.load.connector()).emulator(settings)
  const listener = await emulatorHandle.listen({ port }).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port, options: '--port' })
  })
  const stopped = waitForSignal(console)
  const notice = await emulatorHandle.seedNotice?.()
  const lines = [
    `The ${definition.vendor} emulator listens on ${listener.url} (this machine only; no request is forwarded).`,
    `See its data, and what programs change, at ${listener.url}/workspace.`,
    withInvocation(definition, console)(emulatorHandle.hint.replaceAll('{url}', listener.url)),
    `To set faults over HTTP, send "Authorization: Bearer ${listener.controlToken}" to ${listener.url}/__emulator/faults.`,
    ...(notice === undefined ? [] : [notice]),
  ]
  await print(console.output, lines.join('\n'))
  await stopped
  await emulatorHandle.close()
  return 0
}

/** Offset from the server's port to its workspace's port, if that is free. */
const portOffset = 10

export interface WorkspaceOptions {
  readonly settings: Settings
  /** The server's port. */
  readonly port: number
  readonly log: Log
  /** Calls that outlive their requests; undefined if none can. */
  readonly tasks: TaskDesk | undefined
}

/**
 * Serves the pages that show what calls change, and prints their address. Resolves with the function that stops serving; a
 * problem is only logged.
 */
export async function serveWorkspace<Context>(
  definition: ServerDefinition<Context>,
  { settings, port, log, tasks }: WorkspaceOptions,
  console: Console,
): Promise<() => Promise<void>> {
  try {
    const emulator = await (await definition.load.connector()).emulator(settings)
    const workspaces = path.join(settings.dataDirectory, 'workspaces')
    const listen = (wanted: number) =>
      emulator.listen({ port: wanted, serves: isWorkspacePath, workspaces, tasks: tasks && shownTasks(tasks) })
    const listener = await listen(port === 0 ? 0 : port + portOffset).catch(() => listen(0))
    await print(console.errors, `See the data change at ${listener.url}/workspace (this machine only).`)
    return async () => {
      await emulator.close()
    }
  } catch (error) {
    log.warn('no workspace', errorFields(error))
    return () => Promise.resolve()
  }
}

const isWorkspacePath = (requested: string) => requested === '/workspace' || requested.startsWith('/workspace/')
