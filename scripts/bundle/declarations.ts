import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rollup, type Plugin } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { withoutRooms } from './rooms.ts'

const root = path.join(import.meta.dirname, '..', '..')

/** Writes the declarations of one source file below `directory`. */
async function declare(source: string, directory: string): Promise<string> {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(withoutRooms(await readFile(source, 'utf8'), source), {
    fileName: source,
  })
  const [problem] = diagnostics
  if (problem) throw new Error(`${source}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`)
  const file = path.join(directory, path.relative(root, source)).replace(/\.ts$/, '.d.ts')
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, outputText)
  return file
}

/** Resolves this workspace's imports to their declarations below `directory`, which `find` returns for a source. */
function workspace(directory: string, find: (source: string) => string | Promise<string>): Plugin {
  const sourceOf = (name: string, importer: string) => createRequire(path.resolve(root, path.relative(directory, importer))).resolve(name)
  return {
    name: 'workspace',
    resolveId: (name, importer) => (importer !== undefined && /^(\.|@mcp-toolkits\/)/.test(name) ? find(sourceOf(name, importer)) : null),
  }
}

/** Writes `dist/index.d.ts` of the app in the current directory: the declarations of its library, in one file without imports. */
export async function writeDeclarations(): Promise<void> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), 'declarations-')))
  try {
    // Each source is declared once: a second write would empty a file that rollup may be reading.
    const declared = new Map<string, Promise<string>>()
    const declareOnce = (source: string): Promise<string> => {
      const file = declared.get(source) ?? declare(source, directory)
      declared.set(source, file)
      return file
    }
    const input = await declareOnce(path.resolve('src', 'index.ts'))
    const bundle = await rollup({ input, plugins: [workspace(directory, declareOnce), dts()] })
    const [{ code, imports }] = (await bundle.generate({ format: 'es' })).output
    if (imports.length > 0) throw new Error(`The declarations import ${imports.join(', ')}, which users do not have.`)
    await writeFile(path.join('dist', 'index.d.ts'), code)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** The entries of an emulator's package, by published file. */
const emulatorEntries = { index: 'library', vitest: 'vitest' } as const

/**
 * Writes the declarations of the emulator in the current directory, in files without imports from elsewhere. The compiler reads all
 * sources, because they do not write out every type, as a library would.
 */
export async function writeEmulatorDeclarations(): Promise<void> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), 'declarations-')))
  const find = (source: string) => path.join(directory, path.relative(root, source)).replace(/\.tsx?$/, '.d.ts')
  try {
    emitDeclarations(directory)
    const input = Object.fromEntries(
      Object.entries(emulatorEntries).map(([name, source]) => [name, find(path.resolve('src', `${source}.ts`))]),
    )
    const external = (name: string) => !/^(?:[./]|[A-Za-z]:|@mcp-toolkits\/)/.test(name)
    const bundle = await rollup({ input, external, plugins: [workspace(directory, find), dts()] })
    const { output } = await bundle.generate({ format: 'es', entryFileNames: '[name].d.ts', chunkFileNames: '[name].d.ts' })
    for (const file of output) {
      if (file.type !== 'chunk') continue
      const foreign = file.imports.filter((name) => !output.some(({ fileName }) => fileName === name))
      if (foreign.length > 0) throw new Error(`The declarations import ${foreign.join(', ')}, which users do not have.`)
      await writeFile(path.join('dist', file.fileName), file.code)
    }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Writes the declarations of everything that the entries import. */
function emitDeclarations(directory: string): void {
  const settings = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file))
  const { options } = ts.parseJsonConfigFileContent(settings.config, ts.sys, root)
  // Every file must be named, because the compiler writes no declarations for packages that it finds through an import.
  const files = ['src', path.join(root, 'packages', 'emulators', 'kit', 'src'), path.join(root, 'packages', 'sqlite', 'src')].flatMap(
    (folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => path.resolve(folder, name)),
  )
  const only = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true,
    rootDir: root,
    outDir: directory,
    resolveJsonModule: true,
  }
  const { diagnostics } = ts.createProgram(files, { ...options, ...only }).emit()
  const [problem] = diagnostics
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
}
