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
  App,
  AppVariables,
  Connect,
  Connector,
  Connection,
  ConnectOptions,
  EmulatorHandle,
  ListedTool,
  ManyConnections,
  SkillsAndResources,
  ServerDefinition,
  Settings,
  Skill,
  ToolResource,
  Upstream,
  WaitingWork,
  WorkForKeys,
} from './mcp/definition.ts'
export { list, type OptionType, text } from './cli/options/option.ts'
export { apiKeyOf } from './mcp/extension.ts'
export type { Answer } from './mcp/answers/answer.ts'
export type { CalledServer, Check, Extension, FileCall, FileOption, OpenFile } from './mcp/extension.ts'
