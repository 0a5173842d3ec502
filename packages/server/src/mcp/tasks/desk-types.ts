import type { Caller, Clock, ExpiringRecords } from '@mcp-toolkits/core/base'
import type { Answer } from '../answers/answer.ts'
import type { CallOptions } from '../call.ts'
import type { CallAudit } from '../calls/audited-call.ts'
import type { ConnectLinks } from '../connect-links.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import type { Listing } from '../listing/listing.ts'
import type { Log } from '../log.ts'
import type { Tasks } from './tasks.ts'

/** A server's calls that outlive their requests. */
export interface TaskDesk {
  /** True if a call of the tool may. */
  readonly accepts: (tool: ListedTool) => boolean
  /** True if there may be some that have not ended. */
  readonly hasPending: () => Promise<boolean>
  readonly load: () => Promise<Tasks>
  /** Continues those that no process works on. Never rejects. */
  readonly resume: () => Promise<void>
  /** Leaves those that run to the next process. It can be called repeatedly. */
  readonly close: () => Promise<void>
}

export interface TaskDeskOptions {
  readonly listing: Pick<Listing, 'find'>
  readonly invoke: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  readonly ownerOf: (caller: Caller | undefined) => Promise<string>
  /** Records that other processes share, which may leave tasks behind at any time; those in the data directory when absent. */
  readonly records?: ExpiringRecords | undefined
  /** Waits until a person has finished at a connect link; absent if answers have no links. */
  readonly waitForLink?: ConnectLinks['waitFor'] | undefined
  readonly embedded: boolean
  /** Learns of the ends of tasks. */
  readonly audit?: CallAudit | undefined
  readonly clock: Clock
  readonly log: Log
}
