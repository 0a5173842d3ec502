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
  /** True if a call to the tool may outlive its request. */
  readonly accepts: (tool: ListedTool) => boolean
  /** True if there may be unfinished tasks. */
  readonly hasPending: () => Promise<boolean>
  readonly load: () => Promise<Tasks>
  /** Continues tasks that no process works on. Never rejects. */
  readonly resume: () => Promise<void>
  /** Hands over running tasks to the next process. Can be called repeatedly. */
  readonly close: () => Promise<void>
}

export interface TaskDeskOptions {
  readonly listing: Pick<Listing, 'find'>
  readonly invoke: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  readonly ownerOf: (caller: Caller | undefined) => Promise<string>
  /** Records shared with other processes, which may leave tasks behind at any time; if absent, the data directory's. */
  readonly records?: ExpiringRecords | undefined
  /** Waits until a person has finished at a connect link; absent if answers have no links. */
  readonly waitForLink?: ConnectLinks['waitFor'] | undefined
  readonly embedded: boolean
  /** Records how tasks end. */
  readonly audit?: CallAudit | undefined
  readonly clock: Clock
  readonly log: Log
}
