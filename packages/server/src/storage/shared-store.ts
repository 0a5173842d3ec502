import type { SharedState } from '@mcp-toolkits/core/base'
import type { IdempotencyStore } from '@mcp-toolkits/core/tool'
import type { Contents } from './contents.ts'
import type { PoolUse } from '../telemetry/metrics.ts'

/** The state that the replicas of one server share, as far as a server knows it. `--store` opens it, with packages/team. */
export interface SharedStore extends SharedState {
  /** Host and name, without secrets. */
  readonly location: string
  readonly schema: string
  /** This process, as the others see it. */
  readonly replica: { readonly id: string }
  readonly operations: IdempotencyStore
  /** Contents to which links lead for a while. */
  readonly contents: Contents
  /** Signs state that travels through clients and browsers; the same in every process. */
  readonly stateKey: Uint8Array
  /** The connections of this process now. */
  readonly pools: () => readonly PoolUse[]
  /** The ids of keys that rows need and that are unknown here. It reads every row. */
  readonly missingKeys: () => Promise<readonly string[]>
  /** Throws a storage error while the store does not answer, or lacks tables. */
  readonly checkReady: () => Promise<void>
}
