import type { ExpiringRecords } from '@mcp-toolkits/core/base'
import type { ListedTool } from '../listing/listed-tool.ts'
import type { Listing } from '../listing/listing.ts'
import type { Tasks, TasksOptions } from './tasks.ts'

/** A server's calls that outlive their requests. */
export interface TaskDesk {
  /** True if a call to the tool may outlive its request. */
  readonly accepts: (tool: ListedTool) => boolean
  /** True if there may be unfinished tasks. */
  readonly hasPending: () => Promise<boolean>
  readonly load: () => Promise<Tasks>
  /** Continues tasks that no process is working on. Never rejects. */
  readonly resume: () => Promise<void>
  /** Leaves running tasks to the next process. Can be called repeatedly. */
  readonly close: () => Promise<void>
}

export interface TaskDeskOptions extends Pick<TasksOptions, 'invoke' | 'ownerOf' | 'waitForLink' | 'embedded' | 'audit' | 'clock' | 'log'> {
  readonly listing: Pick<Listing, 'find'>
  /** Records shared with other processes, which may leave tasks behind at any time; if absent, the data directory's. */
  readonly records?: ExpiringRecords | undefined
}
