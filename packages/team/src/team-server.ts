import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import type { ConnectSteps } from './connect/connect-steps.ts'
import type { SealedColumn } from './vault/sealed-rows.ts'

/** Parts that one server has for a team alone. */
export interface TeamParts {
  /** Steps for people at pages of the server besides connecting an account; absent if there are none. */
  readonly loadConnectSteps?: (settings: Settings) => Promise<ConnectSteps>
  /** For `http --check`: sentences about work in the data directory that a server on a database neither sends nor continues. */
  readonly localWork?: (settings: Settings) => Promise<readonly string[]>
  /**
   * Keeps the waiting work of a person from being sent, because they are forgotten. Resolves with a sentence for the operator if there was
   * any.
   */
  readonly parkWork?: (settings: Settings, owner: string, shared?: SharedStore) => Promise<string | undefined>
  /** The columns that only this server seals in the database of the replicas, which exist afterwards. */
  readonly sealedColumns?: (shared: SharedStore) => Promise<readonly SealedColumn[]>
}

/** A server together with its parts for a team. */
export interface TeamServer<Context> extends ServerDefinition<Context>, TeamParts {}
