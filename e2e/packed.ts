import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '..')

export const apps = ['event-pipeline', 'file-storage', 'issue-tracker'] as const

export type App = (typeof apps)[number]

/** What `npm publish` would upload of an app, as a file and unpacked where an installation puts it. */
export interface Packed {
  /** Everything of it is in here; whoever packs removes it. */
  readonly directory: string
  readonly bytes: number
  readonly installed: string
  /** Every file, with its path inside the package. */
  readonly files: readonly string[]
}

export function pack(app: App): Packed {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'packed-')))
  const { packageManager } = readJson(path.join(root, 'package.json'))
  execFileSync('npx', ['-y', String(packageManager), 'pack', '--pack-destination', directory], {
    cwd: path.join(root, 'apps', app),
    stdio: 'ignore',
    shell: process.platform === 'win32',
  })
  const [name = ''] = readdirSync(directory)
  const tarball = path.join(directory, name)
  const installed = path.join(directory, 'node_modules', '@mcp-toolkits', app)
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
  return { directory, bytes: statSync(tarball).size, installed, files: filesIn(installed) }
}

/** The files below a directory, with `/` between the parts of a path. */
export function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return entries.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')).sort()
}

export function readJson(file: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return Object.assign({}, parsed)
}

/** A member of what may be a record. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined
}

/** What may be a list, as one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
