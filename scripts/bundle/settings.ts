import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Options } from 'tsup'
import { classNames } from './class-names.ts'
import { joinChunks, recordSources } from './chunks.ts'
import { manifests } from './manifests.ts'
import { notices } from './notices.ts'
import { pages } from './pages.ts'
import { requireInModules } from './require.ts'
import { leaveRooms } from './rooms.ts'
import { seeds } from './seeds.ts'
import { usedExports } from './used-exports.ts'
import { vendorSchema } from './vendor-schema.ts'

/** Settings for bundling every app into self-contained ES modules, split so that a server loads only the code that it uses. */
const settings: Options = {
  entry: { main: 'src/main.ts', index: 'src/index.ts', ...(existsSync('src/thread.ts') && { thread: 'src/thread.ts' }) },
  format: 'esm',
  target: 'node22',
  platform: 'node',
  splitting: true,
  clean: true,
  minify: true,
  // A published server has no dependencies, so everything is bundled.
  noExternal: [/^(?!pg-native$|pg-cloudflare$)/],
  // PostgreSQL's client loads these other ways to connect only if they are configured.
  external: ['pg-native', 'pg-cloudflare'],
  esbuildPlugins: [notices, recordSources, classNames, vendorSchema, manifests, usedExports, seeds, pages, leaveRooms],
  // tsup turns node:sqlite into sqlite, which does not exist.
  removeNodeProtocol: false,
  esbuildOptions(options) {
    options.jsx = 'automatic'
    options.jsxImportSource = 'hono/jsx'
    // The SDK's default validator is never used, and evaluating it takes a tenth of the startup time.
    options.alias = {
      '@modelcontextprotocol/server/_shims': '@mcp-toolkits/server/sdk-shims',
      // Google's client loads node-fetch only when it is not given a fetch.
      'node-fetch': path.join(import.meta.dirname, 'unused-fetch.ts'),
      // The full library contains a dozen hash functions, each as WebAssembly.
      'hash-wasm': 'hash-wasm/dist/md5.umd.min.js',
      // Koa looks up five of its 2,500 types for the authorization server.
      'mime-db': path.join(import.meta.dirname, 'media-types.json'),
    }
  },
  plugins: [
    requireInModules,
    {
      name: 'chunks',
      buildEnd: ({ writtenFiles }) => joinChunks(writtenFiles.map(({ name }) => name)),
    },
  ],
}

export default settings
