export {
  type AuditTarget,
  defineServer,
  type HostedServer,
  type HostingFindings,
  type PeopleServer,
  type ProgramPeopleOptions,
  type Team,
} from './team.ts'
export type {
  AppVariables,
  Connection,
  ConnectOptions,
  DownloadTools,
  EmulatorHandle,
  ListedTool,
  ManyConnections,
  ServerDefinition,
  Settings,
  Upstream,
  WaitingWork,
  WorkForKeys,
} from './mcp/definition.ts'
