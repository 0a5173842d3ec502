import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rule } from 'eslint'
import ts from 'typescript'
import { manifestOf } from '../releases/third-party.ts'

const root = path.dirname(import.meta.dirname)
const find = (...patterns: string[]) => patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((file) => path.join(root, file))

/** The file behind each entry of a package, such as `@mcp-toolkits/core/json`. */
function entriesOf(folder: string): [string, string][] {
  const { name, exports = {} } = manifestOf(folder)
  return Object.entries(Object.assign({}, exports)).flatMap(([part, target]): [string, string][] =>
    typeof target === 'string' ? [[String(name) + part.slice(1), path.join(folder, target)]] : [],
  )
}

/** What each source file imports: values, types, and modules that are loaded later. */
function importGraph(): ReadonlyMap<string, readonly string[]> {
  const entries = new Map(
    find('packages/*/package.json', 'packages/emulators/*/package.json').flatMap((file) => entriesOf(path.dirname(file))),
  )
  const files = find('packages/**/src/**/*.{ts,tsx}', 'apps/*/src/**/*.ts', 'scripts/**/*.ts', 'lint/*.ts', 'templates/*.ts', '*.ts')
  const importsOf = (file: string) =>
    ts
      .preProcessFile(readFileSync(file, 'utf8'), true, true)
      .importedFiles.map(({ fileName }) => entries.get(fileName) ?? path.resolve(path.dirname(file), fileName))
  return new Map(files.map((file) => [file, importsOf(file).filter((imported) => existsSync(imported))]))
}

/** The shortest way from a file back to itself. */
function cycleOf(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const previous = new Map<string, string | undefined>([[start, undefined]])
  for (const [file] of previous) {
    for (const next of graph.get(file) ?? []) {
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

let graph: ReadonlyMap<string, readonly string[]> | undefined

/** Reports import cycles, also those of types and of dynamic imports. */
export const noCycle: Rule.RuleModule = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program(node) {
      graph ??= importGraph()
      const cycle = cycleOf(context.filename, graph)
      if (cycle) context.report({ node, message: `Import cycle: ${cycle.join(' → ')}` })
    },
  }),
}
