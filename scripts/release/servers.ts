import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** The workspace that this file lies in. */
export const root = path.join(import.meta.dirname, '..', '..')

/** Where `npm run release:pack` puts what is published. */
export const packed = path.join(root, 'packed')

/** One of the packages that are published. */
export interface Server {
  /** The name of its folder in `apps`. */
  readonly app: string
  readonly name: string
  readonly version: string
}

/** Every server, with the version that its manifest has now. */
export function servers(workspace = root): Server[] {
  return readdirSync(path.join(workspace, 'apps')).map((app) => {
    const { name, version } = manifest(path.join(workspace, 'apps', app))
    return { app, name: String(name), version: String(version) }
  })
}

/** The servers that ever had a version: 0.0.0 stands there before the first release. */
export function versioned(): Server[] {
  return servers().filter(({ version }) => version !== '0.0.0')
}

/** The servers that this release is about, as the plan named them in the variable SERVERS. */
export function planned(): Server[] {
  const named: unknown = JSON.parse(process.env['SERVERS'] ?? '[]')
  const chosen = servers().filter(({ app }) => Array.isArray(named) && named.includes(app))
  if (chosen.length === 0) throw new Error('Name the servers of the release: SERVERS=\'["issue-tracker"]\'.')
  return chosen
}

/** What a package.json says. */
export function manifest(folder: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  return { ...(typeof parsed === 'object' && parsed) }
}

/** Whether the registry that npm is set to has this version. Fails where the registry does not say. */
export async function isPublished({ name, version }: Server): Promise<boolean> {
  const registry = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/'
  const response = await fetch(new URL(name.replace('/', '%2f'), registry.replace(/\/*$/, '/')))
  if (response.status === 404) return false
  if (!response.ok) throw new Error(`The registry answered ${response.status} when asked for ${name}.`)
  const answer: unknown = await response.json()
  const versions: unknown = typeof answer === 'object' && answer !== null && 'versions' in answer ? answer.versions : {}
  return typeof versions === 'object' && versions !== null && version in versions
}
