import { expect, test } from 'vitest'
import { hashesOf, staleFiles } from './stale.ts'

const modules = {
  'source.ts': '/** Reads it. */\nexport function read(name: string): string {\n  return name\n}\n\nexport const size = 1\n',
  'index.ts': "export { read, size } from './source.ts'\n",
  'caller.ts': "import {\n  other,\n  read,\n} from './index.ts'\n\nother(read('a'))\n",
  'sized.ts': "import { size } from './index.ts'\n\nexport const double = 2 * size\n",
  'stranger.ts': "import { readAll } from './other.ts'\n\n// It calls read.\nreadAll('a')\n",
}

/** Files to lint after a change of source.ts, if all were clean. */
function staleAfter(change: (source: string) => string, rules = 'rules'): string[] {
  const files = Object.entries({ ...modules, 'source.ts': change(modules['source.ts']) })
  return staleFiles(files, hashesOf(files, rules), hashesOf(Object.entries(modules), 'rules'))
}

test.each<[change: string, from: string | RegExp, to: string, stale: string[]]>([
  ['nothing', '', '', []],
  ['a comment', 'Reads it', 'Reads the name', ['source.ts']],
  ['the body of a function', 'return name', 'return name.trim()', ['source.ts']],
  [
    'a function that becomes async',
    /function read\((.*)\): string/,
    'async function read($1): Promise<string>',
    ['source.ts', 'index.ts', 'caller.ts'],
  ],
  ['a value', 'size = 1', 'size = Number(1)', ['source.ts', 'index.ts', 'sized.ts']],
  ['a new export', /$/, 'export const readAll = 1\n', ['source.ts', 'stranger.ts']],
])('lints what a change of %s can affect', (_change, from, to, stale) => {
  expect(staleAfter((source) => source.replace(from, to))).toEqual(stale)
})

test('lints everything under new rules, and in a fresh clone', () => {
  expect(staleAfter((source) => source, 'new rules')).toEqual(Object.keys(modules))
  const files = Object.entries(modules)
  expect(staleFiles(files, hashesOf(files, 'rules'), {})).toEqual(Object.keys(modules))
})
