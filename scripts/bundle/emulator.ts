import type { Options } from 'tsup'
import { notices } from './notices.ts'
import { requireInModules } from './require.ts'
import { leaveRooms } from './rooms.ts'
import { seeds } from './seeds.ts'
import { vendorSchema } from './vendor-schema.ts'

/** Settings for bundling an emulator's package, whose command, library and fixtures share code. */
const settings: Options = {
  entry: { main: 'src/main.ts', index: 'src/library.ts', vitest: 'src/vitest.ts' },
  format: 'esm',
  target: 'node22',
  platform: 'node',
  splitting: true,
  clean: true,
  minify: true,
  // A published package has no dependencies, so everything is bundled.
  noExternal: [/./],
  esbuildPlugins: [notices, vendorSchema, seeds, leaveRooms],
  // tsup turns node:sqlite into sqlite, which does not exist.
  removeNodeProtocol: false,
  esbuildOptions(options) {
    options.jsx = 'automatic'
    options.jsxImportSource = 'hono/jsx'
  },
  plugins: [requireInModules],
}

export default settings
