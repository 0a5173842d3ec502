import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import type { ConnectSteps } from './connect/connect-steps.ts'
import type { SealedColumn } from './vault/sealed-rows.ts'

/** Parts that a server needs only for a team. */
export interface TeamParts {
  /** People's steps on the server's pages, besides connecting an account; absent if there are no such steps. */
  readonly loadConnectSteps?: (settings: Settings) => Promise<ConnectSteps>
  /** For `http --check`: sentences about work in the data directory that a server with a database neither sends nor continues. */
  readonly localWork?: (settings: Settings) => Promise<readonly string[]>
  /** Keeps a forgotten person's waiting work from being sent. If there was any such work, resolves with a sentence for the operator. */
  readonly parkWork?: (settings: Settings, owner: string, shared?: SharedStore) => Promise<string | undefined>
  /** Creates and returns the columns that only this server seals in the replicas' database. */
  readonly sealedColumns?: (shared: SharedStore) => Promise<readonly SealedColumn[]>
}

/** A server together with its parts for a team. */
export interface TeamServer<Context> extends ServerDefinition<Context>, TeamParts {}
