import type { AppCommand } from '../definition.ts'
import type { OptionKey } from '../options.ts'
import type { Command } from './command.ts'

export type CommandName =
  'stdio' | 'http' | 'tools' | 'call' | 'login' | 'logout' | 'status' | 'people' | 'vault' | 'doctor' | 'config' | 'emulator'

interface CommandEntry {
  /** The options that go with this command and not with every one. */
  readonly options?: readonly OptionKey[]
  readonly load: () => Promise<Command>
}

/** Every command, in the order of the help; its module is loaded when the command runs. */
export const commands: Readonly<Record<CommandName, CommandEntry>> = {
  stdio: {
    load: async () => (await import('./serve.ts')).stdio,
  },
  http: {
    options: [
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
    load: async () => (await import('./http.ts')).http,
  },
  tools: {
    options: ['json'],
    load: async () => (await import('./tools.ts')).tools,
  },
  call: {
    options: ['json', 'idempotencyKey', 'output'],
    load: async () => (await import('./call.ts')).call,
  },
  login: {
    options: ['noBrowser', 'scopes', 'port', 'store'],
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    options: ['store'],
    load: async () => (await import('./login.ts')).logout,
  },
  status: {
    options: ['json', 'store'],
    load: async () => (await import('./status.ts')).status,
  },
  people: {
    options: ['json', 'issuer', 'store', 'audit', 'noBrowser', 'scopes', 'port'],
    load: async () => (await import('./people.ts')).people,
  },
  vault: {
    options: ['json', 'store'],
    load: async () => (await import('./vault.ts')).vault,
  },
  doctor: {
    options: ['json'],
    load: async () => (await import('./doctor.ts')).doctor,
  },
  config: {
    options: ['write'],
    load: async () => (await import('./config.ts')).config,
  },
  emulator: {
    options: ['port'],
    load: async () => (await import('./emulator.ts')).emulator,
  },
}

/** The names that a person can type, the server's own commands included. */
export function commandNames(own: Readonly<Record<string, AppCommand>> = {}): string[] {
  return [...Object.keys(commands).filter((name) => name !== 'stdio'), ...Object.keys(own)]
}

/** The commands that an option goes with; undefined when it goes with every one. */
export function commandsWith(key: string, own: Readonly<Record<string, AppCommand>> = {}): string[] | undefined {
  const names = Object.entries(commands).flatMap(([name, entry]) => (entry.options?.some((each) => each === key) ? [name] : []))
  if (names.length === 0) return undefined
  const isTaken = ({ takesJson = false, takesStore = false }: AppCommand) =>
    (key === 'json' && takesJson) || (key === 'store' && takesStore)
  const ownNames = Object.entries(own).flatMap(([name, command]) => (isTaken(command) ? [name] : []))
  return [...names, ...ownNames]
}
