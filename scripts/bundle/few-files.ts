// Every file that a start loads costs it about a third of a millisecond, and esbuild makes one for each set of commands that share a
// module. So what is always loaded together is put into one file afterwards.
import { rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { rollup, type GetModuleInfo, type Plugin } from 'rollup'

/**
 * An import of one of Node's modules reads every export that it has, and some of those load further modules: `node:fs` and `node:util`
 * alone take several milliseconds. Taken from the process, only what is used is read.
 */
const builtins: Plugin = {
  name: 'builtins',
  resolveId(source, importer) {
    if (!isBuiltin(source)) return null
    // It is asked for before the version of Node is known, and old ones have no getBuiltinModule.
    if (source === 'node:module') return { id: source, external: true }
    const name = source.startsWith('node:') ? source : `node:${source}`
    // One for each importer, so that it does not become a file that many share.
    return { id: `\0${name}|${importer ?? ''}`, syntheticNamedExports: true }
  },
  load(id) {
    const [name = ''] = id.slice(1).split('|')
    return id.startsWith('\0node:') ? `export default process.getBuiltinModule('${name}')` : null
  },
}

/** `main.js` has to run alone, but esbuild makes it import helpers of which it uses none. */
const loneMain: Plugin = {
  name: 'lone-main',
  async resolveId(source, importer) {
    if (!importer || path.basename(importer) !== 'main.js') return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    return resolved && { ...resolved, moduleSideEffects: false }
  },
}

/** Behind `main.js`. */
const alwaysLoaded = ['start', 'schemas', 'protocol']

/** Rewrites what esbuild wrote: paths from the working directory. */
export async function fewFiles(written: readonly string[]): Promise<void> {
  const files = written.map((file) => path.resolve(file)).filter((file) => file.endsWith('.js'))
  const entries = files.filter((file) => ['main.js', 'index.js'].includes(path.basename(file)))
  const [directory = ''] = entries.map((file) => path.dirname(file))
  const bundle = await rollup({ input: entries, plugins: [loneMain, builtins] })
  const chunkOf = (id: string, { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo }) => loadedTogether(id, files, getModuleInfo)
  const { output } = await bundle.generate({
    compact: true,
    hashCharacters: 'base36',
    chunkFileNames: ({ name }) => (alwaysLoaded.includes(name) ? '[name].js' : `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash:8].js`),
    hoistTransitiveImports: false,
    manualChunks: chunkOf,
  })
  await bundle.close()
  for (const file of files) await rm(file)
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue
    await writeFile(path.join(directory, chunk.fileName), chunk.code, { mode: chunk.code.startsWith('#!') ? 0o755 : 0o644 })
  }
}

/**
 * A start loads three files behind `main.js`: `start.js` has the command line, the server's definition and the list of its tools,
 * `protocol.js` what speaks MCP, and `schemas.js` what that shares with the tools. Commands that serve nobody load the first alone.
 */
function loadedTogether(id: string, files: readonly string[], getModuleInfo: GetModuleInfo): string | undefined {
  const closure = (from: readonly string[], reached = new Set<string>()): Set<string> => {
    for (const file of from) {
      if (reached.has(file)) continue
      reached.add(file)
      closure(getModuleInfo(file)?.importedIds ?? [], reached)
    }
    return reached
  }
  const named = (...names: string[]) => files.filter((file) => names.some((name) => path.basename(file).startsWith(`${name}-`)))
  const main = files.filter((file) => path.basename(file) === 'main.js')
  if (closure(main).has(id)) return undefined
  if (closure(main.flatMap((file) => getModuleInfo(file)?.dynamicallyImportedIds ?? [])).has(id)) return 'start'
  if (!closure(named('serve')).has(id)) return undefined
  if (closure(named('call')).has(id)) return 'start'
  return closure(named('tools')).has(id) ? 'schemas' : 'protocol'
}
