import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'

const root = path.dirname(import.meta.dirname)
const lines = (count: number) => Array.from({ length: count }, (_, index) => `  call(${String(index)})\n`).join('')
const named = 'export const name = 1\n'

/** Files with the rules that each of them breaks. */
const planted: Readonly<Record<string, readonly [source: string, ...rules: string[]]>> = {
  'packages/core/src/right.ts': [named],
  'packages/core/src/any.ts': ['export const name = (value: any): string => value', 'no-explicit-any', 'no-unsafe-return'],
  'packages/core/src/cast.ts': ['export const name = (value: unknown) => value as string', 'consistent-type-assertions'],
  'packages/core/src/const.ts': ["export const name = ['a'] as const"],
  'packages/core/src/bang.ts': ['export const name = (value?: string) => value!', 'no-non-null-assertion'],
  'packages/core/src/floating.ts': ['export const name = (work: () => Promise<void>) => {\n  work()\n}', 'no-floating-promises'],
  'packages/core/src/misused.ts': [
    'export const name = (work: Promise<boolean>) => (work ? 1 : 2)',
    'no-misused-promises',
    'no-unnecessary-condition',
  ],
  'packages/core/src/unused.ts': ['const _name = 1\nexport const name = (_value: string) => 1', 'no-unused-vars', 'no-unused-vars'],
  'packages/core/src/needless.ts': ['export const name = (value: string) => value ?? 1', 'no-unnecessary-condition'],
  'packages/core/src/switch.ts': [
    "export const name = (value: 'a' | 'b') => {\n  switch (value) {\n    case 'a':\n      return 1\n  }\n  return 2\n}",
    'switch-exhaustiveness-check',
  ],
  'packages/core/src/comment.ts': ['// @ts-expect-error -- because\nexport const name: string = 1', 'ban-ts-comment'],
  'packages/core/src/template.ts': [
    'export const name = (value: object) => `${value}`',
    'no-base-to-string',
    'restrict-template-expressions',
  ],
  'packages/core/src/plus.ts': ["export const name = (value: number) => 'a' + value", 'restrict-plus-operands'],
  'packages/core/src/deprecated.ts': ['/** @deprecated */\nconst old = 1\nexport const name = old', 'no-deprecated'],
  'packages/core/src/class.ts': ["class Desk {\n  name = 'a'\n}\nexport const name: Desk = { name: 'b' }", 'no-unsafe-assignment'],
  'packages/core/src/pattern.ts': ['export const name = [/^(a+)+$/, /a+$/]', 'no-super-linear-backtracking', 'no-super-linear-move'],
  'packages/core/src/environment.ts': ["export const name = process.env['NAME']", 'no-environment'],
  'packages/core/src/opening.ts': [
    '// Where it is.\n/** What it is. */\nexport const name = 1\n/**\n * Under whom it is stored.\n */\nexport const owner = 2',
    'comment-opening',
    'comment-opening',
    'comment-opening',
  ],
  'packages/core/src/opened.ts': [
    '// It goes on below.\n// What follows, follows.\n/** Whole. */\nexport const name = 1 /* What it is. */',
  ],
  'packages/core/src/console.ts': ["console.log('a')", 'no-console'],
  'packages/core/src/all.ts': ["export * from './right.ts'", 'no-export-all'],
  'packages/core/src/long.ts': [`export const name = 1\n${'// a\n'.repeat(400)}`, 'max-lines'],
  'packages/core/src/function.ts': [`export const name = (call: (value: number) => void) => {\n${lines(79)}}`, 'max-lines-per-function'],
  'packages/core/test/function.ts': [`export const name = (call: (value: number) => void) => {\n${lines(79)}}`],
  'packages/core/src/parameters.ts': ['export const name = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e]', 'max-params'],
  'packages/core/src/cycle/types.ts': ["import type { Name } from './values.ts'\nexport type Names = Name[]", 'no-cycle'],
  'packages/core/src/cycle/values.ts': ["export { type Names as Name } from './later.ts'", 'no-cycle'],
  'packages/core/src/cycle/later.ts': ["export type Names = 1\nexport const name = () => import('./types.ts')", 'no-cycle'],
  'packages/core/src/imports/value.ts': ["import 'hono/tiny'", 'imports-of-core'],
  'packages/core/src/imports/type.ts': ["import type { Store } from '@mcp-toolkits/sqlite'\nexport type Name = Store", 'imports-of-core'],
  'packages/core/src/imports/again.ts': ["export { name } from '@mcp-toolkits/core/base'", 'imports-of-core'],
  'packages/core/src/imports/later.ts': ["export const name = () => import('@modelcontextprotocol/server')", 'imports-of-core'],
  'packages/core/src/imports/own.test.ts': ["import '@modelcontextprotocol/server'"],
  'packages/sqlite/src/name.ts': ["import '@mcp-toolkits/core/errors'", 'imports-of-sqlite'],
  'packages/documents/src/name.ts': ["import '@mcp-toolkits/core/errors'", 'imports-of-documents'],
  'packages/server/src/name.ts': ["import '@mcp-toolkits/core/errors'\nimport '@mcp-toolkits/issue-tracker'", 'imports-of-server'],
  'packages/server/src/upwards.ts': ["export const name = () => import('@mcp-toolkits/team')", 'imports-of-server'],
  'packages/team/src/name.ts': ["import '@mcp-toolkits/server/cli'\nimport '@mcp-toolkits/testing'", 'imports-of-team'],
  'apps/issue-tracker/src/connect.ts': [
    "import type { TeamParts } from '@mcp-toolkits/team'\nexport type Name = TeamParts",
    'imports-of-parts',
  ],
  'apps/issue-tracker/src/team/team.ts': ["import '@mcp-toolkits/server'\nimport '@mcp-toolkits/team'"],
  'packages/emulators/linear/src/name.ts': ["import '@mcp-toolkits/emulator'\nimport '@mcp-toolkits/core/base'", 'imports-of-emulators'],
  'packages/emulators/drive/src/files/upwards.ts': ["import '../store/items.ts'\nimport '../revisions/name.ts'", 'imports-of-drive-files'],
  'packages/testing/src/name.ts': ["import '../../../scripts/name.ts'", 'imports-of-testing'],
  'lab/benchmarks/name.ts': ["import '../../e2e/name.ts'\nimport '../../packages/testing/src/index.ts'", 'imports-of-lab'],
  'e2e/name.test.ts': ["import '../lab/name.ts'", 'imports-of-e2e'],
  'scripts/name.ts': ["import '../e2e/name.ts'", 'imports-of-scripts'],
  'apps/issue-tracker/src/server.ts': ["import '@mcp-toolkits/server'\nimport '@mcp-toolkits/file-storage'", 'imports-of-apps'],
  'apps/issue-tracker/src/tools/name.ts': [
    "import 'node:fs'\nimport '@mcp-toolkits/core/errors'\nimport '@mcp-toolkits/server/account'\nimport '@mcp-toolkits/server/mcp'",
    'imports-of-rooms',
    'imports-of-tools',
  ],
  'apps/issue-tracker/src/tools/upwards.ts': ["import '../server.ts'", 'imports-of-tools'],
  'apps/issue-tracker/src/tools/try.ts': ["try {\n  await fetch('/')\n} finally {\n  void 0\n}", 'tools-throw', 'tools-send-nothing'],
  'apps/issue-tracker/src/resolve/upwards.ts': ["import '../tools/name.ts'", 'imports-of-resolve'],
  'apps/issue-tracker/src/linear/upwards.ts': ["import '../resolve/upwards.ts'", 'imports-of-vendors'],
  'scripts/plain.mjs': ['console.log(process.env.NAME, nowhere)', 'no-undef'],
}

const folder = mkdtempSync(path.join(tmpdir(), 'lint-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Reports of oxlint on files under our rules, by file. */
function lint(files: Readonly<Record<string, string>>): Record<string, string[]> {
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(folder, name), source)
  }
  const { stdout } = spawnSync(path.join(root, 'lint', 'node_modules', '.bin', 'oxlint'), ['-f', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, OXLINT_TSGOLINT_PATH: path.join(root, 'lint', 'tsgolint.ts') },
  })
  const found = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) }).parse(JSON.parse(stdout))
  const reports = Map.groupBy(found.diagnostics, ({ filename }) => filename)
  return Object.fromEntries([...reports].map(([name, all]) => [name, all.map(({ code }) => code.replace(/^.*\(|\)$/g, '')).toSorted()]))
}

test('finds what breaks a rule', () => {
  const settings = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: { typeRoots: [path.join(root, 'node_modules/@types')] },
  }
  const config = `import config from '${root}/oxlint.config.ts'\nexport default { ...config, jsPlugins: ['${root}/lint/plugin.ts'] }`
  const found = lint({
    'tsconfig.json': JSON.stringify(settings),
    'oxlint.config.ts': config,
    ...Object.fromEntries(Object.entries(planted).map(([name, [source]]) => [name, source])),
  })
  const expected = Object.entries(planted).flatMap(([name, [, ...rules]]) => (rules.length > 0 ? [[name, rules.toSorted()]] : []))
  expect(found).toEqual(Object.fromEntries(expected))
})
