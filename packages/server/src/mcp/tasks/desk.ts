import { readdirSync } from 'node:fs'
import { dataPath, once, type Timer } from '@mcp-toolkits/core/base'
import type { ServerDefinition, Settings } from '../definition.ts'
import { callKindOf } from '../listing/listing.ts'
import { errorFields } from '../log.ts'
import type { TaskDesk, TaskDeskOptions } from './desk-types.ts'
import { pendingTasks } from './pending.ts'
import type { Tasks, TasksOptions } from './tasks.ts'

/** Interval, in milliseconds, at which a server looks for tasks that others have left behind. */
const sweepMs = 30_000

/** Manages a server's tasks; undefined if it has no long calls. Loads and opens nothing until there is a task. */
export function taskDesk(
  { name, prefix, extensions = [] }: Pick<ServerDefinition<never>, 'name' | 'prefix' | 'extensions'>,
  settings: Settings,
  options: TaskDeskOptions,
): TaskDesk | undefined {
  const { records, clock, listing, log } = options
  const longCalls = extensions.flatMap((extension) => extension.longCalls ?? []).filter((tool) => listing.find(`${prefix}.${tool}`))
  if (longCalls.length === 0) return undefined
  const backgroundCalls = extensions.flatMap((extension) => extension.backgroundCalls ?? [])
  const kindOf: TasksOptions['kindOf'] = (tool) => callKindOf({ extensions }, listing, `${prefix}.${tool.name}`) ?? 'long'
  let loading: Promise<Tasks> | undefined
  // Checked on the first task: calls report an unusable directory, startup does not.
  const directory = () => dataPath(settings.dataDirectory, name, 'tasks')
  const open = once(async () =>
    (await import('./open-tasks.ts')).openTasks({ ...options, name, prefix, settings, kindOf, backgroundCalls, directory: directory() }),
  )
  const load = () => (loading = open())
  const hasPending = async () => (records ? (await records.list(pendingTasks)).length > 0 : hasMarks(directory))
  let sweep: Timer | undefined
  let isClosed = false
  const resume = async () => {
    const isNeeded = await hasPending().catch(() => false)
    try {
      if (isNeeded && !isClosed) await (await load()).resume()
    } catch (error) {
      log.warn('tasks were not resumed', errorFields(error))
    }
    // Other processes may end or die and leave tasks behind.
    if (!records || isClosed) return
    sweep ??= clock.timer(sweepMs, () => void resume().finally(() => !isClosed && sweep?.restart()))
    sweep.unref()
  }
  return {
    accepts: (tool) => longCalls.includes(tool.name),
    hasPending,
    load,
    resume,
    close: once(async () => {
      isClosed = true
      sweep?.cancel()
      await (await loading?.catch(() => undefined))?.close()
    }),
  }
}

/** True if a directory has marks for unfinished tasks. Cheap, because every startup checks it. */
function hasMarks(directory: () => string): boolean {
  try {
    return readdirSync(directory()).length > 0
  } catch {
    return false
  }
}
