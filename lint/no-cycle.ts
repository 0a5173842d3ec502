import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { manifestOf } from '../releases/third-party.ts'

const root = path.dirname(import.meta.dirname)

/** The file behind each entry of a package, such as `@mcp-toolkits/core/json`. */
function entriesOf(manifest: string): [string, string][] {
  const folder = path.join(root, path.dirname(manifest))
  const { name, exports = {} } = manifestOf(folder)
  return Object.entries(Object.assign({}, exports)).flatMap(([part, target]): [string, string][] =>
    typeof target === 'string' ? [[String(name) + part.slice(1), path.join(folder, target)]] : [],
  )
}

const entries = new Map(globSync('packages/{*,emulators/*}/package.json', { cwd: root }).flatMap(entriesOf))
const graph = new Map<string, readonly string[]>()

/** Our own modules that a file imports: for values or types, at once or later. */
function importsOf(file: string): readonly string[] {
  const known = graph.get(file)
  if (known) return known
  const imports = /\.[jt]sx?$/.test(file)
    ? ts
        .preProcessFile(readFileSync(file, 'utf8'), true, true)
        .importedFiles.map(({ fileName }) => entries.get(fileName) ?? path.resolve(path.dirname(file), fileName))
        .filter((imported) => existsSync(imported))
    : []
  graph.set(file, imports)
  return imports
}

/** The shortest chain of imports from a file back to itself. */
function cycleOf(start: string): string[] | undefined {
  const previous = new Map<string, string | undefined>([[start, undefined]])
  for (const [file] of previous) {
    for (const next of importsOf(file)) {
      if (next === start) {
        const way = [start]
        for (let step: string | undefined = file; step !== undefined; step = previous.get(step)) way.unshift(step)
        return way.map((each) => path.relative(root, each))
      }
      if (!previous.has(next)) previous.set(next, file)
    }
  }
  return undefined
}

interface Context {
  readonly filename: string
  readonly report: (problem: { readonly node: object; readonly message: string }) => void
}

/** Reports import cycles, including those of types and dynamic imports, which oxlint's own rule does not see. */
export const noCycle = {
  create: ({ filename, report }: Context) => ({
    Program(node: object) {
      const cycle = cycleOf(filename)
      if (cycle) report({ node, message: `Import cycle: ${cycle.join(' → ')}` })
    },
  }),
}
