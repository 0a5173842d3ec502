// Installs what the lockfile says, with the pinned Node and pnpm. Works on any Node from 20 on, so it is plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.dirname(import.meta.dirname)
export const windows = process.platform === 'win32'
export const at = (/** @type {string[]} */ ...parts) => path.join(root, ...parts)
const stamp = at('node_modules', '.cache', 'installed.json')

/** The present installation; `pnpm` is the folder of its program. @returns {{ digest?: string, scope?: string, pnpm?: string }} */
export const installation = () => (existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {})

/** Installs what is missing of what the servers need, or of everything. @param {'servers' | 'everything'} needed */
export function install(needed) {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => readFileSync(at(file)))
  const digest = createHash('sha256').update(Buffer.concat(files)).digest('hex')
  const present = installation()
  // A clone that has everything keeps it.
  const scope = present.scope === 'everything' ? present.scope : needed
  const { packageManager } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  if (present.digest !== digest || present.scope !== scope) installPackages(packageManager, scope)
  // npm's cache may have been emptied. Without a network, earlier builds still run.
  else if (existsSync(present.pnpm ?? '')) return
  mkdirSync(path.dirname(stamp), { recursive: true })
  writeFileSync(stamp, JSON.stringify({ digest, scope, pnpm: findPnpm(packageManager) }))
}

/** @param {string} packageManager @param {string} scope */
function installPackages(packageManager, scope) {
  // Not `...` behind the apps: pnpm selects by manifests as they are written, before .pnpmfile.cjs changes them.
  const folders = ['.', './apps/*', './packages/{core,sqlite,server,team}', './packages/emulators/*', './scripts/bundle']
  const servers = ['--prod', ...folders.map((folder) => `--filter-prod=${folder}`)]
  const amount = scope === 'servers' ? 'what the servers need: once, about 310 MB' : 'everything: once, about 750 MB in all'
  process.stderr.write(`Installing ${amount} …\n`)
  // CI compares every entry with the registry, whose metadata is 200 MB; merged changes have passed that.
  const options = [...(process.env['CI'] === 'true' ? [] : ['--trust-lockfile']), ...(scope === 'servers' ? servers : [])]
  const reporter = process.stderr.isTTY ? 'default' : 'append-only'
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline', `--reporter=${reporter}`, ...options]
  const { status } = spawnSync('npx', args, { cwd: root, shell: windows, stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write('The installation failed.\n')
    process.exit(status ?? 1)
  }
  // It leaves a second copy of Node with its headers, for compiling addons.
  rmSync(at('node_modules', 'node', 'node_modules'), { recursive: true, force: true })
}

/** Finds the folder of pnpm in npm's cache, which fetches it if it can. @param {string} packageManager */
function findPnpm(packageManager) {
  const args = ['-y', '-p', packageManager, 'node', '-p', 'process.env.PATH']
  const { stdout } = spawnSync('npx', args, { cwd: root, shell: windows, encoding: 'utf8' })
  const folders = (stdout ?? '').trim().split(path.delimiter)
  return folders.find((folder) => existsSync(path.join(folder, 'pnpm')))
}
