import { readdirSync } from 'node:fs'
import { dataPath, once } from '@mcp-toolkits/core/base'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { TaskDesk, TaskDeskOptions } from './desk-types.ts'
import type { Tasks } from './tasks.ts'

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
