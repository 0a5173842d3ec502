import { defineConfig } from 'tsup'
import { fewFiles } from './few-files.ts'
import { notices } from './notices.ts'

/** How every app is bundled: self-contained ES modules, split so that a start loads only what it uses. */
export default defineConfig({
  entry: { main: 'src/main.ts', index: 'src/index.ts' },
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
  esbuildOptions(options) {
    // The validator that the SDK takes in by default is never asked, and evaluating it takes a tenth of a start.
    options.alias = { '@modelcontextprotocol/server/_shims': '@mcp-toolkits/server/sdk-shims' }
  },
  plugins: [
    {
      name: 'require',
      // Bundled CommonJS still asks for Node's modules with require.
      renderChunk: (code) =>
        /\brequire ?[(.<!]/.test(code)
          ? {
              code: `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);\n${code}`,
            }
          : undefined,
    },
    {
      name: 'few-files',
      async buildEnd({ writtenFiles }) {
        await fewFiles(writtenFiles.map(({ name }) => name))
      },
    },
  ],
})
