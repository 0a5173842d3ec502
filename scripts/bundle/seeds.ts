import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import type { Options } from 'tsup'
import * as z from 'zod'

/** Modules and their exports that are compressed; the list in `tools.ts` is needed at every start. */
const compressed = /^(?!tools\.ts)[\w-]+\.ts (?:listedTools|skills|html|\w+Rules)$/

/**
 * Replaces the module that reads an emulator's seeds with the seeds' contents, so that a bundle needs no YAML. They are compressed, because
 * only a new database needs one of them.
 */
export const seeds: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'seeds',
  setup(build) {
    build.onLoad({ filter: /[\\/]emulators[\\/][\w-]+[\\/]src[\\/]seed[\\/]built-in\.ts$/ }, ({ path: module }) => {
      const folders = readdirSync(path.join(module, '..', '..', '..', 'seeds'), { withFileTypes: true })
      const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
      const program = `import { brotliCompressSync } from 'node:zlib'
        import { builtInSeed } from ${JSON.stringify(pathToFileURL(module).href)}
        const pack = (name) => brotliCompressSync(JSON.stringify(builtInSeed(name))).toString('base64')
        process.stdout.write(JSON.stringify(Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, pack(name)]))))`
      const packed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
      return {
        loader: 'js',
        contents: `import { brotliDecompressSync } from 'node:zlib'
          const seeds = ${packed}
          export const builtInSeed = (name) => JSON.parse(brotliDecompressSync(Buffer.from(seeds[name], 'base64')).toString())`,
      }
    })
    // Also compresses toolsets' lists, skills' texts, apps' pages and emulators' rules, none of which a start without options needs.
    build.onLoad({ filter: /[\\/]src[\\/](?:generated[\\/]\w+|rules|rules[\\/]index)\.ts$/ }, async ({ path: module }) => {
      const exports = z.record(z.string(), z.unknown()).parse(await import(pathToFileURL(module).href))
      // The kit's rules are functions, which a bundle needs as they are.
      const data = Object.entries(exports).filter(([, value]) => typeof value !== 'function')
      const [name, value] = data.find(([each]) => compressed.test(`${path.basename(module)} ${each}`)) ?? []
      if (value === undefined) return undefined
      const packed = brotliCompressSync(JSON.stringify(value)).toString('base64')
      return {
        loader: 'js',
        contents: `import { brotliDecompressSync } from 'node:zlib'
          export const ${name} = JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString())`,
      }
    })
  },
}
