import type { ShownTask, ShownTasks } from '../definition.ts'
import type { TaskDesk } from './desk-types.ts'
import type { Task } from './task.ts'

/** A desk's tasks, for the embedded default's workspace. */
export function shownTasks({ load }: Pick<TaskDesk, 'load'>): ShownTasks {
  return {
    list: async () => (await (await load()).list(undefined)).toSorted((one, other) => other.createdAt - one.createdAt).map(show),
    // The task may have expired since it was shown.
    cancel: async (id) => (await load()).cancel(id, undefined).catch(() => undefined),
  }
}

const show = ({ id, tool, status, message, done, total, createdAt }: Task): ShownTask => ({
  ...{ id, tool, status, message, done, total },
  at: new Date(createdAt).toISOString(),
})
