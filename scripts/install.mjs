// Installs what the lockfile says, with the pinned Node and pnpm. It is plain JavaScript without dependencies, so any Node from 20 on can
// run it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(fileURLToPath(import.meta.url), '..', '..')
export const windows = process.platform === 'win32'
export const at = (/** @type {string[]} */ ...parts) => path.join(root, ...parts)
const stamp = at('node_modules', '.cache', 'installed.json')

/** The present installation; `pnpm` is the folder that holds pnpm. @returns {{ digest?: string, scope?: string, pnpm?: string }} */
export const installation = () => (existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {})

/** Installs what is missing, for the servers or for everything. @param {'servers' | 'everything'} needed */
export function install(needed) {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => readFileSync(at(file)))
  const digest = createHash('sha256').update(Buffer.concat(files)).digest('hex')
  const present = installation()
  // A complete installation stays complete.
  const scope = present.scope === 'everything' ? present.scope : needed
  const { packageManager } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  if (present.digest !== digest || present.scope !== scope) installPackages(packageManager, scope)
  // If npm's cache was emptied, pnpm is fetched again. Without a network, earlier builds still run.
  else if (existsSync(present.pnpm ?? '')) return
  mkdirSync(path.dirname(stamp), { recursive: true })
  writeFileSync(stamp, JSON.stringify({ digest, scope, pnpm: findPnpm(packageManager) }))
}

/** @param {string} packageManager @param {string} scope */
function installPackages(packageManager, scope) {
  // `./apps/*...` would miss some: pnpm selects by the manifests on disk, before .pnpmfile.cjs changes them.
  const folders = ['.', './apps/*', './packages/{core,sqlite,server,team,documents}', './packages/emulators/*', './scripts/bundle']
  const servers = ['--prod', ...folders.map((folder) => `--filter-prod=${folder}`)]
  const amount =
    scope === 'servers' ? 'dependencies (first run only: about 320 MB, about a minute)' : 'all dependencies (first run only: about 760 MB)'
  process.stderr.write(installation().scope === scope ? 'Updating dependencies …\n' : `Installing ${amount} …\n`)
  // CI checks every entry against 200 MB of the registry's metadata. Clones trust the lockfile, since merged changes have passed that.
  const options = [...(process.env['CI'] === 'true' ? [] : ['--trust-lockfile']), ...(scope === 'servers' ? servers : [])]
  const reporter = process.stderr.isTTY ? 'default' : 'append-only'
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline', `--reporter=${reporter}`, ...options]
  const { status } = spawnSync('npx', args, { cwd: root, shell: windows, stdio: 'inherit' })
  if (status !== 0) {
    process.stderr.write('The installation failed.\n')
    process.exit(status ?? 1)
  }
  // pnpm leaves a second copy of Node, with the headers for compiling addons.
  rmSync(at('node_modules', 'node', 'node_modules'), { recursive: true, force: true })
}

/** Finds the folder of pnpm in npm's cache; npm first fetches pnpm if it is not there. @param {string} packageManager */
function findPnpm(packageManager) {
  const args = ['-y', '-p', packageManager, 'node', '-p', 'process.env.PATH']
  const { stdout } = spawnSync('npx', args, { cwd: root, shell: windows, encoding: 'utf8' })
  const folders = (stdout ?? '').trim().split(path.delimiter)
  return folders.find((folder) => existsSync(path.join(folder, 'pnpm')))
}
