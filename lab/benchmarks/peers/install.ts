// Installs the candidates into a cache, never as dependencies: the peers from npm at pinned versions, ours from packages of this checkout.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../../../packages/core/src/base/json.ts'
import { publishedManifest } from '../../../releases/manifest.ts'
import { installInto, npm } from '../../tasks/install.ts'
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

/** Installs a candidate unless it is present, and measures its size. Ours are always packed afresh. */
export function install({ name, spec }: Pick<Candidate, 'name' | 'spec'>): Installation {
  const directory = path.join(cache, (spec ?? name).replaceAll(/[@/]/g, '_'))
  if (spec === undefined) rmSync(directory, { recursive: true, force: true })
  installInto(directory, spec ?? pack(name))
  const packages: unknown = JSON.parse(readFileSync(path.join(directory, 'node_modules', '.package-lock.json'), 'utf8'))
  const listed = isObject(packages) && isObject(packages['packages']) ? Object.keys(packages['packages']) : []
  return { directory, megabytes: Math.round(sizeOf(path.join(directory, 'node_modules')) / 104_857.6) / 10, packages: listed.length }
}

/** Packs one of this checkout's servers, and returns the package's path. */
function pack(name: string): string {
  const app = path.join(root, 'apps', name)
  const copy = path.join(cache, 'packed', name)
  cpSync(path.join(app, 'dist'), path.join(copy, 'dist'), { recursive: true })
  writeFileSync(path.join(copy, 'package.json'), JSON.stringify(publishedManifest(app)))
  const printed = npm(['pack', '--silent', '--pack-destination', path.dirname(copy)], copy)
  return path.join(cache, 'packed', printed.trim().split('\n').at(-1) ?? '')
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(directory, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(file) : entry.isFile() ? statSync(file).size : 0)
  }, 0)
}
