import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Options } from 'tsup'

/** The parts that servers use of large modules, by the end of the module's path. */
const used: Readonly<Record<string, string | ((source: string) => string)>> = {
  '@googleapis/drive/build/index.js': "exports.drive_v3 = require('./v3').drive_v3",
  // Every client is given a fetch that adds its credentials.
  'googleapis-common/build/src/index.js': "exports.createAPIRequest = require('./apirequest').createAPIRequest",
  'qs/lib/index.js': "exports.stringify = require('./stringify')",
  'rate-limiter-flexible/index.js':
    "exports.RateLimiterMemory = require('./lib/RateLimiterMemory'); exports.RateLimiterRes = require('./lib/RateLimiterRes')",
  // A server contains only the emulator's schema, which tests check. The emulator's own bundle can also check the vendor's.
  'graphql/type/validate.mjs': 'export const assertValidSchema = () => {}, validateSchema = () => [], validateDefaultInput = () => {}',
  'graphql/validation/specifiedRules.mjs': (source) => source.replace(/(?<=specifiedSDLRules = )[^;]+/, '[]'),
}

/** Leaves out the unused parts of those modules. */
export const usedExports: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'used-exports',
  setup(build) {
    for (const [module, part] of Object.entries(used))
      build.onLoad({ filter: new RegExp(`/node_modules/${module}$`.replaceAll('/', String.raw`[\\/]`)) }, async ({ path: file }) => ({
        contents: typeof part === 'string' ? part : part(await readFile(file, 'utf8')),
        resolveDir: path.dirname(file),
      }))
  },
}
