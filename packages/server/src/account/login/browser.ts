import { spawn } from 'node:child_process'
import path from 'node:path'
import { type Environment, isLoopback } from '@mcp-toolkits/core/upstream'
import type { OAuthProvider } from '../account.ts'

export interface BrowserCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * The program that opens a URL in the person's browser, and its arguments; undefined if there is no display. No shell reads the URL.
 * (The npm packages for this start a shell on Windows.)
 */
export function browserCommand(
  url: string,
  { platform, environment }: { platform: NodeJS.Platform; environment: Environment },
): BrowserCommand | undefined {
  if (platform === 'darwin') return { command: '/usr/bin/open', args: [url] }
  if (platform === 'win32') {
    const windows = environment['SystemRoot'] ?? String.raw`C:\Windows`
    return { command: path.win32.join(windows, 'System32', 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', url] }
  }
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((variable) => (environment[variable] ?? '') !== '')
  return hasScreen ? { command: 'xdg-open', args: [url] } : undefined
}

/** True for URLs that are safe to open: over https at the provider's host, or on this machine. */
export function canOpen(url: string, { endpoints }: Pick<OAuthProvider, 'endpoints'>): boolean {
  const parsed = URL.parse(url)
  if (parsed?.username !== '' || parsed.password !== '') return false
  if (isLoopback(parsed.hostname)) return ['http:', 'https:'].includes(parsed.protocol)
  return parsed.protocol === 'https:' && parsed.host === new URL(endpoints.authorization).host
}

/**
 * Starts a program that outlives this one, without the environment's credentials. Failures are ignored, because the URL has also been
 * printed.
 */
export function startDetached({ command, args }: BrowserCommand, environment: Environment): void {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !/(?:KEY|TOKEN|SECRET)$/i.test(name)))
  const child = spawn(command, args, { detached: true, stdio: 'ignore', shell: false, env })
  child.once('error', () => undefined)
  child.unref()
}
