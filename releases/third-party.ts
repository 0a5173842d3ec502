import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const installed = path.join(import.meta.dirname, '..', 'scripts', 'bundle', 'node_modules')

/** Licences that allow distribution under MIT when their text is included (https://spdx.org/licenses/). */
const allowed = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense']

/** Packages whose manifest names no SPDX licence. */
const licenceOverrides: Readonly<Record<string, string>> = { 'url-template': 'BSD-3-Clause' }

/** Packages that lack the text of their licence, each with a package from the same publisher that has the text. */
const licenceTextSources: Readonly<Record<string, string>> = {
  '@googleapis/drive': 'googleapis-common',
  'koa-compose': 'koa',
}

interface Origin {
  readonly name: string
  readonly version: string
  /**
   * Present for an origin that is not installed: a package under the same licence, for the licence's text, and the SHA-512 of the origin's
   * tarball on npm.
   */
  readonly absent?: { readonly licensedLike: string; readonly sha512: string }
}

/** Packages that contain another package's code without a comment that says so. */
const carried: Readonly<Record<string, Origin>> = {
  // Installing pdf.js would take 36 MB.
  unpdf: {
    name: 'pdfjs-dist',
    version: '6.1.200',
    absent: {
      licensedLike: 'typescript',
      sha512: 'o8MolyzirkkLrcdsae/HEOiIcXWI7DS5zGpvqW8xTC2YUsW30rltFw2bDGvw/fskUdEMrQm2br68jzDS5BH2vw==',
    },
  },
}

/** A package with code in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly directory: string
  /** The packages that contain its code, when it was not bundled directly. */
  readonly within: readonly string[]
  /** SHA-512 of the package's tarball in base64; if absent, the one in the lockfile. */
  readonly sha512?: string
}

export interface LicensedPackage extends BundledPackage {
  /** SPDX identifier. */
  readonly licence: string
  readonly text: string
}

/** The part of esbuild's metafile that is used here. */
export interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>>
}

/**
 * Packages in a bundle: those with bundled files, and those from which such a file was itself bundled. The metafile's paths are relative
 * to `base`. Throws if the origin of a file is unknown.
 */
export function bundledPackages({ outputs }: Metafile, base: string): BundledPackage[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const files = new Set(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => path.resolve(base, file)))
  const found = new Map<string, BundledPackage>()
  const add = (one: BundledPackage) => {
    const key = `${one.name}@${one.version}`
    const known = found.get(key)
    const isDirect = known?.within.length === 0 || one.within.length === 0
    found.set(key, { ...one, within: isDirect ? [] : [...new Set([...(known?.within ?? []), ...one.within])] })
  }
  for (const file of files) {
    const [, directory] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file) ?? []
    if (directory === undefined) continue
    const carrier = { ...identityOf(directory), directory, within: [] }
    add(carrier)
    for (const origin of originsOf(file, carrier.name)) if (origin.name !== carrier.name) add(installedPackage(origin, carrier.name))
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}

/** Packages from which a published file was bundled: its comments name paths in pnpm's store. */
function originsOf(file: string, carrier: string): Origin[] {
  const regions = readFileSync(file, 'utf8').matchAll(/^\/\/(?:#region)? ?\S*?node_modules\/(\S+)$/gm)
  const told = [...regions].map(([, place = '']) => {
    const [, stored = '', name = ''] = /^\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(place) ?? []
    const version = stored.slice(name.length + 1).split(/[_(]/)[0] ?? ''
    if (name === '' || version === '') throw new Error(`${file} was bundled from ${place}, whose version is unknown.`)
    return { name, version }
  })
  const untold = carried[carrier]
  if (!untold) return told
  if (!readFileSync(file, 'utf8').includes(untold.version)) throw new Error(`${carrier} contains another version of ${untold.name}.`)
  return [...told, untold]
}

/** Finds a package whose code another package contains; it is installed for its licence's text. Throws if another version is installed. */
function installedPackage({ name, version, absent }: Origin, carrier: string): BundledPackage {
  if (absent) return { name, version, directory: path.join(installed, absent.licensedLike), within: [carrier], sha512: absent.sha512 }
  const directory = path.join(installed, name)
  const present = existsSync(directory) ? identityOf(directory).version : 'none'
  if (present === version) return { name, version, directory, within: [carrier] }
  throw new Error(`${carrier} contains ${name} ${version}, and ${present} is installed: add ${version} to scripts/bundle/package.json.`)
}

/** Adds each package's licence. Throws if a licence is not allowed or its text is missing. */
export function withLicences(packages: readonly BundledPackage[]): LicensedPackage[] {
  return packages.map((each) => {
    const licence = licenceOverrides[each.name] ?? manifestOf(each.directory)['license']
    const title = `${each.name} ${each.version}`
    if (typeof licence !== 'string' || !allowed.includes(licence))
      throw new Error(`${title} is under ${JSON.stringify(licence)}, which is not among ${allowed.join(', ')}.`)
    const source = packages.find(({ name }) => name === licenceTextSources[each.name])
    const text = licenceTextIn(each.directory) ?? (source && licenceTextIn(source.directory))
    if (text === undefined) throw new Error(`${title} lacks its licence text (${licence}).`)
    return { ...each, licence, text }
  })
}

function licenceTextIn(directory: string): string | undefined {
  const names = readdirSync(directory).sort()
  const files = names.filter((name) => /^(licen[cs]e|copying|notice)([.-]\w+)?$/i.test(name))
  const read = (name: string) => readFileSync(path.join(directory, name), 'utf8').trim()
  if (files.some((name) => !/^notice/i.test(name))) return files.map(read).join('\n\n')
  const page = names.find((name) => /^readme(\.md)?$/i.test(name))
  const section = page && /^(?:#+ *licen[cs]e|licen[cs]e\n-+)\s*$([^]*)/im.exec(read(page))?.[1]
  return /permission (to use|is hereby granted)|redistribution and use/i.test(section ?? '') ? section?.trim() : undefined
}

function identityOf(directory: string): { name: string; version: string } {
  const { name, version } = manifestOf(directory)
  if (typeof name !== 'string' || typeof version !== 'string') throw new Error(`${directory} has no name and version.`)
  return { name, version }
}

export function manifestOf(directory: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
  return Object.assign({}, parsed)
}
