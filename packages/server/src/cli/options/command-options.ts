import { commandsOf, type Extended, fileOptionsOf } from '../../mcp/extension.ts'
import type { OptionKey } from './option-table.ts'

export type CommandName =
  | 'stdio'
  | 'http'
  | 'tools'
  | 'call'
  | 'login'
  | 'logout'
  | 'status'
  | 'people'
  | 'vault'
  | 'doctor'
  | 'config'
  | 'completion'
  | 'emulator'

/** Every command, in the help's order, with the options that work with it but not with all. */
export const commandOptions: Readonly<Record<CommandName, readonly OptionKey[]>> = {
  stdio: [],
  http: [
    'host',
    'port',
    'allowedHosts',
    'store',
    'drainWait',
    'audit',
    'metricsPort',
    'metricsHost',
    'check',
    'issuer',
    'publicUrl',
    'authorizationServer',
    'audience',
  ],
  tools: ['json'],
  call: ['json', 'idempotencyKey'],
  login: ['noBrowser', 'scopes', 'port', 'store'],
  logout: ['store'],
  status: ['json', 'store', 'issuer', 'publicUrl'],
  people: ['json', 'issuer', 'store', 'audit', 'noBrowser', 'scopes', 'port'],
  vault: ['json', 'store'],
  doctor: ['json', 'store', 'issuer', 'publicUrl', 'authorizationServer', 'audience'],
  config: ['write'],
  completion: [],
  emulator: ['port'],
}

/** The names that a person can type, including the server's own commands. */
export function commandNames(server: Extended = {}): string[] {
  return [...Object.keys(commandOptions).filter((name) => name !== 'stdio'), ...Object.keys(commandsOf(server))]
}

/** The commands with which an option works; undefined if it works with every one. */
export function commandsWith(key: string, server: Extended = {}): string[] | undefined {
  if (fileOptionsOf(server).some(({ name }) => name === key)) return ['call']
  const names = Object.entries(commandOptions).flatMap(([name, keys]) => (keys.some((each) => each === key) ? [name] : []))
  if (names.length === 0) return undefined
  const own = Object.entries(commandsOf(server)).flatMap(([name, { options = [] }]) => (options.some((each) => each === key) ? [name] : []))
  return [...names, ...own]
}
