import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'

/**
 * oidc-provider stores things under the names of its classes, and checks those of functions, so they survive minification there. For all
 * code that would cost every start some bytes.
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
