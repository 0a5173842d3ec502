import path from 'node:path'
import type { Options } from 'tsup'

/** The exports that servers use of packages whose entry requires all they have, by the end of the path of that entry. */
const used: Readonly<Record<string, string>> = {
  '@googleapis/drive/build/index.js': "exports.drive_v3 = require('./v3').drive_v3",
  // Every client is given a fetch that adds its credentials.
  'googleapis-common/build/src/index.js': "exports.createAPIRequest = require('./apirequest').createAPIRequest",
  'qs/lib/index.js': "exports.stringify = require('./stringify')",
  'rate-limiter-flexible/index.js':
    "exports.RateLimiterMemory = require('./lib/RateLimiterMemory'); exports.RateLimiterRes = require('./lib/RateLimiterRes')",
}

/** Leaves out the rest of those packages. */
export const usedExports: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'used-exports',
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/].*[\\/]index\.js$/ }, ({ path: file }) => {
      const [, contents] = Object.entries(used).find(([entry]) => file.replaceAll(path.sep, '/').endsWith(`/node_modules/${entry}`)) ?? []
      return contents === undefined ? undefined : { contents, resolveDir: path.dirname(file) }
    })
  },
}
