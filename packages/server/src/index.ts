export { defineServer } from './definition.ts'
export type { SignIn } from './accounts/sign-in.ts'
export type { AdvertisedTool, ListedTool } from './listing.ts'
export type {
  AppCommand,
  AppReport,
  Connection,
  ConnectOptions,
  DownloadTools,
  Emulation,
  Listening,
  ServerDefinition,
  Settings,
  Upstream,
  Waiting,
} from './definition.ts'
