import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { servers, type Server } from '../servers.ts'

export const root = path.dirname(import.meta.dirname)

/** Folder in which `npm run release:pack` puts the packages to publish. */
export const packed = path.join(root, 'packed')

/** A published package at its manifest's version. */
export interface PackageRelease {
  /** Its folder's name, and its name on npm without scope. */
  readonly name: string
  readonly packageName: string
  readonly folder: string
  readonly version: string
  readonly tarball: string
  /** Bundle that Claude Desktop opens; only servers have one. */
  readonly bundle?: string
}

/** A server at its manifest's version. */
export interface Release extends Server, PackageRelease {
  readonly bundle: string
}

function packageRelease(name: string, place: string): PackageRelease {
  const folder = path.join(root, place)
  const version = String(readJson(path.join(folder, 'package.json'))['version'])
  return { name, packageName: `@mcp-toolkits/${name}`, folder, version, tarball: path.join(packed, `mcp-toolkits-${name}-${version}.tgz`) }
}

function releaseOf(server: Server): Release {
  const release = packageRelease(server.name, `apps/${server.name}`)
  return { ...server, ...release, bundle: path.join(packed, `${server.name}-${release.version}.mcpb`) }
}

export const releases: readonly Release[] = servers.map(releaseOf)

/** The emulators that are published as separate packages, besides being part of the servers; a new emulator is private. */
export const emulatorReleases: readonly PackageRelease[] = servers
  .map(({ emulator, emulatorFolder }) => packageRelease(emulator, emulatorFolder))
  .filter(({ folder }) => readJson(path.join(folder, 'package.json'))['private'] !== true)

/** The benchmark for agents. */
export const taskRelease = packageRelease('tasks', 'lab/tasks')

/** Everything that is published. */
export const packageReleases: readonly PackageRelease[] = [...releases, ...emulatorReleases, taskRelease]

/** The releases that the plan chose, which CI passes on in the variable PACKAGES. */
export function plannedReleases(): readonly PackageRelease[] {
  const names: unknown = JSON.parse(process.env['PACKAGES'] ?? '[]')
  const chosen = packageReleases.filter(({ name }) => Array.isArray(names) && names.includes(name))
  if (chosen.length === 0) throw new Error('Set PACKAGES to the packages of the release, for example PACKAGES=\'["issue-tracker"]\'.')
  return chosen
}

/** The packages released by the changesets in a workspace, and whether any changeset releases none. */
export function changesetsIn(workspace: string, files = readdirSync(path.join(workspace, '.changeset'))) {
  const changesets = files.filter((name) => name.endsWith('.md') && !name.endsWith('README.md'))
  const packages = changesets.map((name) => {
    const [, head = ''] = readFileSync(path.join(workspace, '.changeset', path.basename(name)), 'utf8').split(/^---$/m)
    return [...head.matchAll(/^['"]?([^'":\s]+)['"]?\s*:/gm)].map(([, packageName = '']) => packageName)
  })
  return { packages: new Set(packages.flat()), hasEmpty: packages.some((names) => names.length === 0) }
}

/** True if the registry that npm uses has this version. Throws if the registry does not answer. */
export async function isPublished({ packageName, version }: Pick<PackageRelease, 'packageName' | 'version'>): Promise<boolean> {
  const registry = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/'
  const url = new URL(packageName.replace('/', '%2f'), registry.endsWith('/') ? registry : `${registry}/`)
  // Publishing takes longer than a registry keeps an idle connection open.
  const response = await fetch(url, { headers: { connection: 'close' } })
  if (response.status === 404) return false
  if (!response.ok) throw new Error(`The registry answered ${response.status} for ${packageName}.`)
  const { versions } = toRecord(await response.json())
  return version in toRecord(versions)
}

export function readJson(file: string): Record<string, unknown> {
  return toRecord(JSON.parse(readFileSync(file, 'utf8')))
}

export function toRecord(value: unknown): Record<string, unknown> {
  return { ...(typeof value === 'object' && value) }
}
