import type { Command } from './command.ts'
import type { CommandName } from './command-options.ts'

/** Loads the module of a command when it runs. */
export const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  stdio: async () => (await import('./serve.ts')).stdio,
  http: async () => (await import('./http.ts')).http,
  tools: async () => (await import('./tools.ts')).tools,
  call: async () => (await import('./call.ts')).call,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./login.ts')).logout,
  status: async () => (await import('./status.ts')).status,
  people: async () => (await import('./people.ts')).people,
  vault: async () => (await import('./vault.ts')).vault,
  doctor: async () => (await import('./doctor.ts')).doctor,
  config: async () => (await import('./config.ts')).config,
  completion: async () => (await import('./completion.ts')).completion,
  emulator: async () => (await import('./emulator.ts')).emulator,
}
