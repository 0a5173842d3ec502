import path from 'node:path'
import type { Options } from 'tsup'
import { manifestOf } from '../../releases/third-party.ts'

/** Reduces each package.json to the name and version, which packages read from their own manifests. */
export const manifests: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'manifests',
  setup(build) {
    build.onLoad({ filter: /[\\/]package\.json$/ }, ({ path: file }) => {
      const { name, version } = manifestOf(path.dirname(file))
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}
