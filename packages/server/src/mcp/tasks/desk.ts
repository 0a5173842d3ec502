import { type Caller, type Clock, dataPath, type ExpiringRecords, once } from '@mcp-toolkits/core/base'
import type { CallOptions } from '../call.ts'
import type { Answer } from '../answers/answer.ts'
import type { ListedTool, ServerDefinition, Settings } from '../definition.ts'
import type { Listing } from '../listing/listing.ts'
import type { Log } from '../log.ts'
import type { TaskDesk } from './extension.ts'
import { hasMarks } from './pending-files.ts'
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
  { records, listing: { find }, ...options }: TaskDeskOptions,
): TaskDesk | undefined {
  const longCalls = new Set(extensions.flatMap(({ longCalls = [] }) => longCalls))
  if (longCalls.size === 0) return undefined
  let loading: Promise<Tasks> | undefined
  const marks = () => dataPath(settings.dataDirectory, name, 'tasks')
  const openShelf = async () => {
    const [{ fileMarks, sharedMarks, TaskShelf }, { openLocalState }] = await Promise.all([
      import('./task-shelf.ts'),
      import('../../storage/local-state.ts'),
    ])
    if (records) return { shelf: new TaskShelf(records, sharedMarks(records)), close: () => Promise.resolve() }
    const local = await openLocalState({ file: dataPath(settings.dataDirectory, name, 'tasks.db'), clock: options.clock })
    return { shelf: new TaskShelf(local.records, fileMarks(marks())), close: local.close }
  }
  const open = once(async () => {
    const { Tasks } = await import('./tasks.ts')
    const { readOnly, questionSeconds } = settings
    return new Tasks({ ...options, find, prefix, openShelf, readOnly, questionSeconds, isShared: records !== undefined })
  })
  const load = () => (loading = open())
  const hasPending = () => records !== undefined || hasMarks(marks())
  return {
    accepts: (tool) => longCalls.has(tool.name),
    hasPending,
    load,
    async resume() {
      if (hasPending()) await (await load()).resume()
    },
    close: once(async () => (await loading)?.close()),
  }
}
