/** Owner and kind of the marks for unfinished tasks in records that processes share. */
export const pendingTasks = { owner: 'tasks', kind: 'pending task' } as const
