import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

/**
 * Keeps names in oidc-provider, which stores records under the names of its classes and checks the names of functions. Keeping the names in
 * all code would make every server load more bytes at startup.
 */
export const classNames: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'class-names',
  setup(build) {
    build.onLoad({ filter: /[\\/]oidc-provider[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
      const { code } = await build.esbuild.transform(await readFile(path, 'utf8'), { keepNames: true, target: 'node22' })
      return { contents: code, loader: 'js' }
    })
  },
}
