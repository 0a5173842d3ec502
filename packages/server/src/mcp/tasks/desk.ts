import { readdirSync } from 'node:fs'
import { type Caller, type Clock, dataPath, type ExpiringRecords, once } from '@mcp-toolkits/core/base'
import type { Answer } from '../answers/answer.ts'
import type { CallOptions } from '../call.ts'
import type { ListedTool, ServerDefinition, Settings } from '../definition.ts'
import type { Listing } from '../listing/listing.ts'
import type { Log } from '../log.ts'
import type { TaskDesk } from './extension.ts'
import type { Tasks } from './tasks.ts'

export interface TaskDeskOptions {
  readonly listing: Pick<Listing, 'find'>
  readonly invoke: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  readonly ownerOf: (caller: Caller | undefined) => Promise<string>
  /** Records that other processes share, which may leave tasks behind at any time; those in the data directory when absent. */
  readonly records?: ExpiringRecords | undefined
  readonly waitForLink?: ((id: string) => Promise<boolean>) | undefined
  readonly embedded: boolean
  readonly clock: Clock
  readonly log: Log
}

/** The desk of a server; undefined if none of its calls takes long. Loads and opens nothing before there is a task. */
export function taskDesk(
  { name, prefix, extensions = [] }: Pick<ServerDefinition<never>, 'name' | 'prefix' | 'extensions'>,
  settings: Settings,
  options: TaskDeskOptions,
): TaskDesk | undefined {
  const longCalls = extensions.flatMap((extension) => extension.longCalls ?? [])
  if (longCalls.length === 0) return undefined
  let loading: Promise<Tasks> | undefined
  const directory = dataPath(settings.dataDirectory, name, 'tasks')
  const open = once(async () => (await import('./open-tasks.ts')).openTasks({ ...options, name, prefix, settings, directory }))
  const load = () => (loading = open())
  const hasPending = () => options.records !== undefined || hasMarks(directory)
  return {
    accepts: (tool) => longCalls.includes(tool.name),
    hasPending,
    load,
    async resume() {
      if (hasPending()) await (await load()).resume()
    },
    close: once(async () => (await loading)?.close()),
  }
}

/** True if a directory has marks of unfinished tasks. Every start asks, so it is cheap. */
function hasMarks(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0
  } catch {
    return false
  }
}
