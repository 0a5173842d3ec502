export { defineServer } from './definition.ts'
export type { AdvertisedTool } from './listing.ts'
export type {
  AppCommand,
  AppVariables,
  CommandOutput,
  Connection,
  ConnectOptions,
  DownloadTools,
  EmulatorHandle,
  ListedTool,
  ManyConnections,
  EmulatorListener,
  ServerDefinition,
  UploadTool,
  Settings,
  Upstream,
  PendingPages,
  WaitingWork,
  WorkForKeys,
} from './definition.ts'
