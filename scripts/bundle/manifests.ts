import path from 'node:path'
import type { Options } from 'tsup'
import { manifestOf } from './third-party.ts'

/** Of the manifests of packages, which those read for their own names and versions, a bundle has no more than that. */
export const manifests: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'manifests',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path: file }) => {
      const { name, version } = manifestOf(path.dirname(file))
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}
