import type { AppCommand } from '../../mcp/definition.ts'
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

/** Every command, in the order of the help, with the options that go with it and not with every one. */
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
  call: ['json', 'idempotencyKey', 'output', 'input'],
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

/** The names that a person can type, the server's own commands included. */
export function commandNames(own: Readonly<Record<string, AppCommand>> = {}): string[] {
  return [...Object.keys(commandOptions).filter((name) => name !== 'stdio'), ...Object.keys(own)]
}

/** The commands that an option goes with; undefined when it goes with every one. */
export function commandsWith(key: string, own: Readonly<Record<string, AppCommand>> = {}): string[] | undefined {
  const names = Object.entries(commandOptions).flatMap(([name, keys]) => (keys.some((each) => each === key) ? [name] : []))
  if (names.length === 0) return undefined
  const isTaken = ({ takesJson = false, takesStore = false }: AppCommand) =>
    (key === 'json' && takesJson) || (key === 'store' && takesStore)
  const ownNames = Object.entries(own).flatMap(([name, command]) => (isTaken(command) ? [name] : []))
  return [...names, ...ownNames]
}
