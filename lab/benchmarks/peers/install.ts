// Installs the candidates into a cache: the peers from npm at pinned versions, ours from packages of this checkout. Never as dependencies.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../packages/core/src/base/json.ts'
import { publishedManifest } from '../../../releases/manifest.ts'
import type { Candidate } from './catalog.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const cache = path.join(root, 'node_modules', '.cache', 'peers')

export interface Installation {
  readonly directory: string
  readonly megabytes: number
  readonly packages: number
}

/** A candidate and its installation. */
export interface Installed {
  readonly candidate: Candidate
  readonly installation: Installation
}

/** Installs a candidate unless it is there, and weighs it. Ours are always packed anew. */
export function install({ name, spec }: Pick<Candidate, 'name' | 'spec'>): Installation {
  const directory = path.join(cache, (spec ?? name).replaceAll(/[@/]/g, '_'))
  const lock = path.join(directory, 'node_modules', '.package-lock.json')
  if (spec === undefined || !existsSync(lock)) {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    writeFileSync(path.join(directory, 'package.json'), '{ "private": true }\n')
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec ?? pack(name, directory)], directory)
  }
  const packages: unknown = JSON.parse(readFileSync(lock, 'utf8'))
  const listed = isObject(packages) && isObject(packages['packages']) ? Object.keys(packages['packages']) : []
  return { directory, megabytes: Math.round(sizeOf(path.join(directory, 'node_modules')) / 104_857.6) / 10, packages: listed.length }
}

/** Packs a server of this checkout, and returns the path of the package. */
function pack(name: string, directory: string): string {
  const app = path.join(root, 'apps', name)
  const copy = path.join(directory, 'package')
  cpSync(path.join(app, 'dist'), path.join(copy, 'dist'), { recursive: true })
  writeFileSync(path.join(copy, 'package.json'), JSON.stringify(publishedManifest(app)))
  const printed = npm(['pack', '--silent', '--pack-destination', directory], copy)
  return path.join(directory, printed.trim().split('\n').at(-1) ?? '')
}

const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' })

function sizeOf(directory: string): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(directory, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(file) : entry.isFile() ? statSync(file).size : 0)
  }, 0)
}
