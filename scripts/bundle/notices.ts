import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Options } from 'tsup'
import { licencePage, licensed } from './licences.ts'
import { billOfMaterials } from './sbom.ts'
import { manifestOf, thirdParties } from './third-party.ts'

/** Writes beside a bundle what it is made of, from what the bundler took in, and fails the build where that may not be passed on. */
export const notices: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'notices',
  setup(build) {
    build.onEnd(({ metafile }) => {
      if (!metafile) return
      const { name, version, license } = manifestOf(process.cwd())
      const packages = licensed(thirdParties(metafile, process.cwd()))
      const lockfile = readFileSync(fileURLToPath(new URL('../../pnpm-lock.yaml', import.meta.url)), 'utf8')
      const subject = { name: String(name), version: String(version), licence: String(license) }
      const directory = path.resolve(build.initialOptions.outdir ?? 'dist')
      mkdirSync(directory, { recursive: true })
      writeFileSync(path.join(directory, 'THIRD-PARTY-LICENSES.txt'), licencePage(packages))
      writeFileSync(path.join(directory, 'sbom.cdx.json'), billOfMaterials(subject, packages, lockfile))
    })
  },
}
