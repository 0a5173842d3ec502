import path from 'node:path'
import regexp from 'eslint-plugin-regexp'
import { commentOpening } from './comment-opening.ts'
import { directions } from './directions.ts'
import { noCycle } from './no-cycle.ts'

interface Context {
  readonly cwd: string
  readonly filename: string
  readonly report: (problem: { readonly node: object; readonly message: string }) => void
}

interface ImportNode {
  readonly source: { readonly value?: unknown } | null
}

/** Reports the nodes that a selector finds. */
const forbid = (selector: string, message: string) => ({
  create: ({ report }: Context) => ({
    [selector]: (node: object) => {
      report({ node, message })
    },
  }),
})

/** The expression for a pattern, which matches a module and everything in it; a star stands for part of a name. */
const toExpression = (pattern: string) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`)

/** Reports imports of values and types, static and dynamic. The last matching pattern decides; `!` allows. */
function forbidImports(patterns: readonly string[], message: string) {
  const expressions = patterns.map((pattern) => ({ allows: pattern.startsWith('!'), expression: toExpression(pattern.replace('!', '')) }))
  return {
    create({ cwd, filename, report }: Context) {
      const check = (node: ImportNode) => {
        const specifier = node.source?.value
        if (typeof specifier !== 'string') return
        const name = specifier.startsWith('.') ? path.relative(cwd, path.resolve(path.dirname(filename), specifier)) : specifier
        if (expressions.findLast(({ expression }) => expression.test(name))?.allows === false) report({ node, message })
      }
      return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportExpression: check }
    },
  }
}

const imports = Object.entries(directions).map(
  ([name, { forbidden, reason }]) => [`imports-of-${name}`, forbidImports(forbidden, reason)] as const,
)

export default {
  meta: { name: 'house' },
  rules: {
    'comment-opening': commentOpening,
    'no-cycle': noCycle,
    'no-export-all': forbid('ExportAllDeclaration', 'Export each name explicitly.'),
    'no-environment': forbid(
      "MemberExpression[object.name='process'][property.name='env']",
      'The environment is read once, in packages/server/src/cli/launch.ts, and passed on.',
    ),
    'tools-throw': forbid('TryStatement', 'A tool returns data or throws; packages/server turns either into a result.'),
    'tools-send-nothing': forbid("CallExpression[callee.name='fetch']", 'Only the vendor client sends requests.'),
    ...Object.fromEntries(imports),
    // Input can be crafted to keep such a pattern busy for minutes.
    'no-super-linear-backtracking': regexp.rules['no-super-linear-backtracking'],
    'no-super-linear-move': regexp.rules['no-super-linear-move'],
  },
}
