import { defineConfig } from 'tsup'
import { notices } from './notices.ts'

/** How every app is bundled: self-contained ES modules, split so that a start loads only what it uses. */
export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: 'esm',
  target: 'node22',
  platform: 'node',
  splitting: true,
  clean: true,
  minify: true,
  // A published server has no dependencies, so everything is taken in.
  noExternal: [/.*/],
  esbuildPlugins: [notices],
  // tsup turns node:sqlite into sqlite, which does not exist.
  removeNodeProtocol: false,
  // Bundled CommonJS still asks for Node's modules with require.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
})
