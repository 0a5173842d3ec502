import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A package of somebody else's of which code stands in a bundle. */
export interface ThirdParty {
  readonly name: string
  readonly version: string
  /** Where it is installed. */
  readonly directory: string
  /** The packages whose own files carry it, where it did not come by itself. */
  readonly within: readonly string[]
}

/** What esbuild knows about a bundle, as far as it is asked here. */
export interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>>
}

/**
 * The packages in a bundle, by name: those whose files were taken in, and those that such a file was itself bundled from. `base` is the
 * directory that the metafile's paths start at. Throws where it cannot be told what a file was bundled from.
 */
export function thirdParties({ outputs }: Metafile, base: string): ThirdParty[] {
  const files = new Set(
    Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).filter((file) => (inputs[file]?.bytesInOutput ?? 0) > 0)),
  )
  const found = new Map<string, ThirdParty>()
  for (const file of files) {
    const carrier = packageOf(path.resolve(base, file))
    if (!carrier) continue
    add(found, carrier)
    for (const { name, version } of bundledInto(readFileSync(path.resolve(base, file), 'utf8'), file)) {
      if (name !== carrier.name) add(found, { ...installed(name, version, carrier.name), within: [carrier.name] })
    }
  }
  return [...found.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function add(found: Map<string, ThirdParty>, party: ThirdParty): void {
  const known = found.get(keyOf(party))
  // What also came by itself needs no carrier.
  const within = known?.within.length === 0 || party.within.length === 0 ? [] : [...new Set([...(known?.within ?? []), ...party.within])]
  found.set(keyOf(party), { ...party, within })
}

function keyOf({ name, version }: Pick<ThirdParty, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/** The installed package that a file belongs to; undefined for our own. */
function packageOf(file: string): ThirdParty | undefined {
  const [, directory, name] = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/.exec(file) ?? []
  if (directory === undefined || name === undefined) return undefined
  return { ...identityOf(directory), directory, within: [] }
}

/** What a published file says it was bundled from: pnpm's store names package and version. */
function bundledInto(source: string, file: string): { name: string; version: string }[] {
  const regions = [...source.matchAll(/^\/\/(?:#region)? ?\S*?node_modules\/(\S+)$/gm)].map(([, place = '']) => place)
  return regions.map((place) => {
    const [, stored = '', name = ''] = /^\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(place) ?? []
    const version = stored.slice(name.length + 1).split(/[_(]/)[0] ?? ''
    if (name === '' || version === '') throw new Error(`${file} was bundled from ${place}, of which the version is not known.`)
    return { name, version }
  })
}

/** A package that another one carries is installed for the sake of its licence alone, in the same version. */
function installed(name: string, version: string, carrier: string): Omit<ThirdParty, 'within'> {
  const directory = path.join(root, 'node_modules', name)
  const found = existsSync(directory) ? identityOf(directory).version : 'none'
  if (found === version) return { name, version, directory }
  throw new Error(
    `${carrier} carries ${name} ${version}, and ${found} is installed: put ${version} into the devDependencies of the workspace, for its licence.`,
  )
}

function identityOf(directory: string): { name: string; version: string } {
  const { name, version } = manifestOf(directory)
  if (typeof name !== 'string' || typeof version !== 'string') throw new Error(`${directory} has no name and version.`)
  return { name, version }
}

/** The package.json of an installed package. */
export function manifestOf(directory: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
  return Object.assign({}, parsed)
}
