// Every file that a server loads at startup costs about a third of a millisecond, and esbuild writes a file for each set of commands that
// share a module. This joins modules that are always loaded together into one file.
import { rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { transform } from 'esbuild'
import { rollup, type GetModuleInfo, type Plugin } from 'rollup'
import type { Options } from 'tsup'

/**
 * Replaces imports of Node's modules. Such an import reads all of a module's exports, some of which load more modules: `node:fs` and
 * `node:util` take several milliseconds. `process.getBuiltinModule` reads only the exports in use.
 */
const builtins: Plugin = {
  name: 'builtins',
  resolveId(source, importer) {
    if (!isBuiltin(source)) return null
    // This one is imported before Node's version is checked, and old versions have no getBuiltinModule.
    if (source === 'node:module') return { id: source, external: true }
    const name = source.startsWith('node:') ? source : `node:${source}`
    // Each importer gets its own module, so that none becomes a shared file.
    return { id: `\0${name}|${importer ?? ''}`, syntheticNamedExports: true }
  },
  load(id) {
    const [name = ''] = id.slice(1).split('|')
    // Rollup would give an unnamed value a long name, after its file.
    return id.startsWith('\0node:') ? `var n=process.getBuiltinModule('${name}');export default n` : null
  },
}

/** Drops the imports of `main.js` that esbuild adds for helpers it does not use. */
const independentMain: Plugin = {
  name: 'independent-main',
  async resolveId(source, importer) {
    if (!importer || path.basename(importer) !== 'main.js') return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    return resolved && { ...resolved, moduleSideEffects: false }
  },
}

/** The source of each file that esbuild wrote for an import, by the file's path. */
const sources = new Map<string, string>()

/** Remembers which source each file of the bundle was written for. */
export const recordSources: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'record-sources',
  setup(build) {
    build.onEnd(({ metafile }) => {
      for (const [file, { entryPoint }] of Object.entries(metafile?.outputs ?? {}))
        if (entryPoint !== undefined) sources.set(path.resolve(file), path.resolve(entryPoint).replaceAll(path.sep, '/'))
    })
  },
}

/** Rewrites the files that esbuild wrote; their paths are relative to the working directory. */
export async function joinChunks(written: readonly string[]): Promise<void> {
  const files = written.map((file) => path.resolve(file)).filter((file) => file.endsWith('.js'))
  const entries = files.filter((file) => ['main.js', 'index.js', 'thread.js'].includes(path.basename(file)))
  const [directory = ''] = entries.map((file) => path.dirname(file))
  // esbuild has already left out unused code. Rollup would also replace a parameter with a constant
  // (https://github.com/rollup/rollup/pull/5483), overlooking calls of a function from a dynamic import: results from the built-in emulator
  // lost their mark.
  const bundle = await rollup({ input: entries, plugins: [independentMain, builtins], treeshake: false })
  const { output } = await bundle.generate({
    compact: true,
    hashCharacters: 'base36',
    chunkFileNames: ({ name }) => (/-[A-Z0-9]{8}$/.test(name) ? `${name.slice(0, -9)}-[hash:7].js` : '[name].js'),
    hoistTransitiveImports: false,
    manualChunks: (id, { getModuleInfo }) => chunkNameOf(id, files, getModuleInfo),
  })
  await bundle.close()
  for (const file of files) await rm(file)
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue
    // Names became longer where modules joined in one file had the same ones.
    const { code } = await transform(chunk.code, { minify: true, format: 'esm', target: 'node22' })
    await writeFile(path.join(directory, chunk.fileName), code, { mode: code.startsWith('#!') ? 0o755 : 0o644 })
  }
}

/**
 * The name of a module's file. At startup, a server loads three files after `main.js`: `start.js` with the command line, the server's
 * definition and the list of its tools, `protocol.js` with MCP, and `schemas.js` with the parts that MCP shares with the tools. Commands
 * that do not serve load only the first.
 */
function chunkNameOf(id: string, files: readonly string[], getModuleInfo: GetModuleInfo): string | undefined {
  const closure = (from: readonly string[], reached = new Set<string>()): Set<string> => {
    for (const file of from) {
      if (reached.has(file)) continue
      reached.add(file)
      closure(getModuleInfo(file)?.importedIds ?? [], reached)
    }
    return reached
  }
  const from = (source: string) => {
    const starts = files.filter((file) => sources.get(file)?.endsWith(source))
    // The benchmarks' reference program has no library and no commands.
    if (starts.length === 0 && files.some((file) => path.basename(file) === 'index.js'))
      throw new Error(`No file of the bundle was written for ${source}; was it renamed?`)
    return closure(starts)
  }
  const main = files.filter((file) => path.basename(file) === 'main.js')
  if (closure(main).has(id)) return undefined
  if (closure(main.flatMap((file) => getModuleInfo(file)?.dynamicallyImportedIds ?? [])).has(id)) return 'start'
  if (!from('/server/src/cli/commands/stdio.ts').has(id)) return undefined
  if (from('/server/src/cli/commands/call.ts').has(id)) return 'start'
  return from('/tools/index.ts').has(id) ? 'schemas' : 'protocol'
}
