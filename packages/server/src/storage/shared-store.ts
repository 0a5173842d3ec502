import type { SharedState } from '@mcp-toolkits/core/base'
import type { IdempotencyStore } from '@mcp-toolkits/core/tool'
import type { Contents } from './contents.ts'
import type { PoolUse } from '../telemetry/metrics.ts'

/** The part of the replicas' shared state that this package uses. packages/team opens it for `--store`. */
export interface SharedStore extends SharedState {
  /** Host and name of the database, without secrets. */
  readonly location: string
  readonly schema: string
  /** This process, as the other replicas see it. */
  readonly replica: { readonly id: string }
  readonly operations: IdempotencyStore
  /** The content behind temporary links. */
  readonly contents: Contents
  /** Signs state that travels through clients and browsers; the same in every process. */
  readonly stateKey: Uint8Array
  /** The connections that this process currently has. */
  readonly pools: () => readonly PoolUse[]
  /** Ids of the keys that rows need and this process lacks. Reads every row. */
  readonly missingKeys: () => Promise<readonly string[]>
  /** Throws a storage error while the store does not answer, or lacks tables. */
  readonly checkReady: () => Promise<void>
}
