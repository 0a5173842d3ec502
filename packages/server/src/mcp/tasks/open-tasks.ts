import { dataPath } from '@mcp-toolkits/core/base'
import { openLocalState } from '../../storage/local-state.ts'
import type { Settings } from '../settings.ts'
import type { TaskDeskOptions } from './desk-types.ts'
import { fileMarks, sharedMarks, TaskStore } from './task-store.ts'
import { Tasks, type TasksOptions } from './tasks.ts'

interface TasksSetup extends TaskDeskOptions, Pick<TasksOptions, 'kindOf'> {
  readonly name: string
  readonly prefix: string
  readonly settings: Settings
  readonly backgroundCalls: readonly string[]
  /** Directory for the marks. */
  readonly directory: string
}

/** A server's tasks, in the records that it shares with others or in its data directory. */
export function openTasks({ name, settings, directory, records, listing: { find }, ...options }: TasksSetup): Tasks {
  const { dataDirectory, readOnly, questionSeconds } = settings
  const openStore = async () => {
    if (records) return { store: new TaskStore(records, sharedMarks(records)), close: () => Promise.resolve() }
    const local = await openLocalState({ file: dataPath(dataDirectory, name, 'tasks.db'), clock: options.clock, log: options.log })
    return { store: new TaskStore(local.records, fileMarks(directory)), close: local.close }
  }
  return new Tasks({ ...options, find, openStore, readOnly, questionSeconds })
}
