import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Options } from 'tsup'
import { bundledPackages, manifestOf, withLicences, type LicensedPackage } from '../../releases/third-party.ts'

const lockfile = fileURLToPath(new URL('../../pnpm-lock.yaml', import.meta.url))

/** Writes a bundle's licences and bill of materials, and fails the build if a licence does not allow distribution. */
export const notices: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'notices',
  setup(build) {
    build.onEnd(({ metafile }) => {
      if (!metafile) return
      const { name, version, license } = manifestOf(process.cwd())
      const packages = withLicences(bundledPackages(metafile, process.cwd()))
      const directory = path.resolve(build.initialOptions.outdir ?? 'dist')
      mkdirSync(directory, { recursive: true })
      writeFileSync(path.join(directory, 'THIRD-PARTY-LICENSES.txt'), licencePage(packages))
      const subject = { name: String(name), version: String(version), licence: String(license) }
      writeFileSync(path.join(directory, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(subject, packages), null, 2)}\n`)
    })
  },
}

function licencePage(packages: readonly LicensedPackage[]): string {
  const sections = packages.map(({ name, version, licence, text, within }) => {
    const carrier = within.length > 0 ? `, within ${within.join(', ')}` : ''
    return `${'='.repeat(80)}\n${name} ${version} (${licence})${carrier}\n${'='.repeat(80)}\n\n${text.replaceAll('\r\n', '\n')}\n`
  })
  const intro = 'This package contains code of the packages below, each under its own licence. Everything else is under LICENSE.\n'
  return [intro, ...sections].join('\n')
}

type Subject = Pick<LicensedPackage, 'name' | 'version' | 'licence'>

const purl = ({ name, version }: Pick<Subject, 'name' | 'version'>) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/), without serial number and time, so that every build writes the same text. */
function billOfMaterials(subject: Subject, packages: readonly LicensedPackage[]): object {
  const hashes = integrityHashes()
  const refsWithin = (carrier: string | undefined) =>
    packages.filter(({ within }) => (carrier === undefined ? within.length === 0 : within.includes(carrier))).map(purl)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', subject) },
    components: packages.map((each) => {
      const content = each.sha512 === undefined ? hashes.get(`${each.name}@${each.version}`) : toHex(each.sha512)
      return { ...component('library', each), ...(content !== undefined && { hashes: [{ alg: 'SHA-512', content }] }) }
    }),
    dependencies: [
      { ref: purl(subject), dependsOn: refsWithin(undefined) },
      ...packages.map((each) => ({ ref: purl(each), dependsOn: refsWithin(each.name) })),
    ],
  }
}

function component(type: 'application' | 'library', { name, version, licence }: Subject): object {
  const [unscoped = name, group] = name.split('/').reverse()
  const distribution = { type: 'distribution', url: `https://www.npmjs.com/package/${name}/v/${version}` }
  const ref = purl({ name, version })
  return {
    type,
    'bom-ref': ref,
    ...(group !== undefined && { group }),
    name: unscoped,
    version,
    licenses: [{ license: { id: licence } }],
    purl: ref,
    externalReferences: [distribution],
  }
}

/** The SHA-512 of each package's tarball from the lockfile, in hexadecimal. */
function integrityHashes(): ReadonlyMap<string, string> {
  const entries = readFileSync(lockfile, 'utf8').matchAll(/^ {2}'?([^'\s]+?)'?:\n {4}resolution: \{integrity: sha512-([^},]+)/gm)
  return new Map([...entries].map(([, name = '', digest = '']) => [name, toHex(digest)]))
}

const toHex = (digest: string) => Buffer.from(digest, 'base64').toString('hex')
