export {
  type AuditTarget,
  defineServer,
  type HostedServer,
  type HostingFindings,
  type PeopleServer,
  type ProgramPeopleOptions,
  type Team,
} from './team.ts'
export type { AdvertisedTool } from './mcp/listing/listing.ts'
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
} from './mcp/definition.ts'
