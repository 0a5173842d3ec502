// Installs packages from npm, each once and in a separate directory.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Installs a package into a directory unless it is there, without running its scripts. */
export function installInto(directory: string, spec: string): void {
  if (existsSync(path.join(directory, 'node_modules', '.package-lock.json'))) return
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  writeFileSync(path.join(directory, 'package.json'), '{ "private": true }\n')
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec], directory)
}

/** Runs npm, and returns what it prints. */
export const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' })
