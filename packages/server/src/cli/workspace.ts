import type { ServerDefinition, Settings } from '../definition.ts'
import { errorFields, type Log } from '../log.ts'
import { type Console, print } from './command.ts'

/** How far from the port of the server the port of its workspace is, when that is free. */
const portOffset = 10

export interface WorkspaceOptions {
  readonly settings: Settings
  /** The port of the server. */
  readonly port: number
  readonly log: Log
}

/** Serves the pages on which a person sees what calls change, and prints where. Resolves with what ends that; a problem is only logged. */
export async function serveWorkspace<Context>(
  definition: ServerDefinition<Context>,
  { settings, port, log }: WorkspaceOptions,
  console: Console,
): Promise<() => Promise<void>> {
  try {
    const emulator = await definition.emulator(settings)
    const listen = (wanted: number) => emulator.listen({ port: wanted, serves: isWorkspacePath })
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

const isWorkspacePath = (path: string) => path === '/workspace' || path.startsWith('/workspace/')
