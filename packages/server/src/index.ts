export { defineServer } from './definition.ts'
export type { AdvertisedTool, ListedTool } from './listing.ts'
export type {
  AppCommand,
  CommandOutput,
  Connection,
  ConnectOptions,
  DownloadTools,
  EmulatorHandle,
  Listening,
  ServerDefinition,
  Settings,
  Upstream,
  PendingPages,
} from './definition.ts'
