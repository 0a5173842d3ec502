import { spawn } from 'node:child_process'
import path from 'node:path'
import { isLoopback, type Environment } from '@mcp-toolkits/core'
import type { Provider } from '@mcp-toolkits/core/accounts'

export interface Start {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * How a person's browser is started with an address, as a program and its arguments; undefined where there is no screen, or where nobody
 * knows how. No shell reads the address. (Packages that do this start one on Windows.)
 */
export function browserFor(
  url: string,
  { platform, environment }: { platform: NodeJS.Platform; environment: Environment },
): Start | undefined {
  if (platform === 'darwin') return { command: '/usr/bin/open', args: [url] }
  if (platform === 'win32') {
    const windows = environment['SystemRoot'] ?? String.raw`C:\Windows`
    return { command: path.win32.join(windows, 'System32', 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', url] }
  }
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((variable) => (environment[variable] ?? '') !== '')
  return hasScreen ? { command: 'xdg-open', args: [url] } : undefined
}

/** Whether an address may be opened: over https at a host of the provider, or on this machine. */
export function mayOpen(url: string, { endpoints }: Pick<Provider, 'endpoints'>): boolean {
  const parsed = URL.parse(url)
  if (parsed?.username !== '' || parsed.password !== '') return false
  if (isLoopback(parsed.hostname)) return ['http:', 'https:'].includes(parsed.protocol)
  return parsed.protocol === 'https:' && parsed.host === new URL(endpoints.authorization).host
}

/** Starts a program and lets it run on by itself, without the credentials in this program's environment. Whether it starts shows on the screen. */
export function startAlone({ command, args }: Start, environment: Environment): void {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !/(?:KEY|TOKEN|SECRET)$/i.test(name)))
  const child = spawn(command, args, { detached: true, stdio: 'ignore', shell: false, env })
  child.once('error', () => undefined)
  child.unref()
}
