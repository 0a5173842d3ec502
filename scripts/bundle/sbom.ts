import { ComponentType, ExternalReferenceType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums'
import {
  Bom,
  Component,
  ExternalReference,
  ExternalReferenceRepository,
  HashDictionary,
  LicenseRepository,
  SpdxLicense,
} from '@cyclonedx/cyclonedx-library/Models'
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize'
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec'
import { parse } from 'yaml'
import type { Licensed } from './licences.ts'

interface Subject {
  readonly name: string
  readonly version: string
  readonly licence: string
}

/**
 * The bill of materials of a bundle, in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). It has neither serial number nor time, so
 * that the same bundle has the same bill. `lockfile` is the text of pnpm's, for the hashes of what was installed.
 */
export function billOfMaterials(subject: Subject, packages: readonly Licensed[], lockfile: string): string {
  const integrity = integrities(lockfile)
  const main = component(ComponentType.Application, subject)
  const bom = new Bom()
  bom.metadata.component = main
  const parts = packages.map((each) => ({ ...each, part: component(ComponentType.Library, each, integrity(each)) }))
  for (const { part, within } of parts) {
    bom.components.add(part)
    const wholes = within.length > 0 ? parts.filter(({ name }) => within.includes(name)).map((carrier) => carrier.part) : [main]
    for (const whole of wholes) whole.dependencies.add(part.bomRef)
  }
  const text = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6)).serialize(bom, { sortLists: true, space: 2 })
  return `${text}\n`
}

function component(type: ComponentType, { name, version, licence }: Subject, integrity?: string): Component {
  const [unscoped = name, scope] = name.split('/').reverse()
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return new Component(type, unscoped, {
    ...(scope !== undefined && { group: scope }),
    version,
    purl,
    bomRef: purl,
    licenses: new LicenseRepository([new SpdxLicense(licence)]),
    ...(integrity !== undefined && { hashes: new HashDictionary([[HashAlgorithm['SHA-512'], integrity]]) }),
    externalReferences: new ExternalReferenceRepository([
      new ExternalReference(`https://www.npmjs.com/package/${name}/v/${version}`, ExternalReferenceType.Distribution),
    ]),
  })
}

/** The SHA-512 of a package's tarball, in hexadecimal, where the lockfile has it. */
function integrities(lockfile: string): (subject: Subject) => string | undefined {
  const parsed: unknown = parse(lockfile)
  const packages = record(record(parsed)['packages'])
  return ({ name, version }) => {
    const written = record(record(packages[`${name}@${version}`])['resolution'])['integrity']
    const [, digest] = typeof written === 'string' ? (/^sha512-(.+)$/.exec(written) ?? []) : []
    return digest === undefined ? undefined : Buffer.from(digest, 'base64').toString('hex')
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
