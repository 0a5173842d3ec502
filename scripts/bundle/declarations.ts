import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rollup, type Plugin } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'

const root = path.join(import.meta.dirname, '..', '..')

/** Writes the declarations of one source file below `directory`. */
async function declare(source: string, directory: string): Promise<string> {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(await readFile(source, 'utf8'), { fileName: source })
  const [problem] = diagnostics
  if (problem) throw new Error(`${source}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`)
  const file = path.join(directory, path.relative(root, source)).replace(/\.ts$/, '.d.ts')
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, outputText)
  return file
}

/** Resolves imports of this workspace to their declarations. */
function workspace(directory: string): Plugin {
  const { resolve } = createRequire(path.resolve('package.json'))
  const sourceOf = (name: string, importer: string) =>
    name.startsWith('.') ? path.resolve(root, path.relative(directory, path.dirname(importer)), name) : resolve(name)
  return {
    name: 'workspace',
    resolveId: (name, importer) =>
      importer !== undefined && /^(\.|@mcp-toolkits\/)/.test(name) ? declare(sourceOf(name, importer), directory) : null,
  }
}

/** Writes `dist/index.d.ts` of the app in the current directory: the declarations of its library, in one file without imports. */
export async function writeDeclarations(): Promise<void> {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), 'declarations-')))
  try {
    const input = await declare(path.resolve('src', 'index.ts'), directory)
    const bundle = await rollup({ input, plugins: [workspace(directory), dts()] })
    const [{ code, imports }] = (await bundle.generate({ format: 'es' })).output
    if (imports.length > 0) throw new Error(`The declarations import ${imports.join(', ')}, which users do not have.`)
    await writeFile(path.join('dist', 'index.d.ts'), code)
  } finally {
    await rm(directory, { recursive: true })
  }
}
