import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type SqlParameters, type Store, text } from '@mcp-toolkits/store'
import type {} from 'vitest'
import { isObject } from './json.ts'
import type { Rules } from './rules.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The ids of the rules that the test covers. */
    rules?: readonly string[]
  }
}

/** Makes `covers`, which turns ids of rules into the options of a test: `it('refuses an empty title', covers('issues/title-required'), …)`. */
export const coverageOf =
  <R extends Rules>() =>
  (...rules: readonly [keyof R & string, ...(keyof R & string)[]]) => ({ meta: { rules } })

/** What is wrong with the rules of an emulator, and with the `covers` calls in the `*.test.ts` files of a folder. */
export function ruleProblems(rules: Rules, testFolder: URL): string[] {
  const covered = coveredIds(testFolder)
  return [
    ...Object.entries(rules).flatMap(([id, { text, source }]) => [
      ...(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/.test(id) ? [] : [`${id}: the id is not kebab-case after an area`]),
      ...(text.endsWith('.') ? [] : [`${id}: the text is not a sentence`]),
      ...(source.startsWith('assumed') || URL.canParse(source) ? [] : [`${id}: ${source} is not a page`]),
      ...(covered.has(id) ? [] : [`${id}: no test covers it`]),
    ]),
    ...[...covered].filter((id) => !Object.hasOwn(rules, id)).map((id) => `${id}: a test covers it, but there is no such rule`),
  ]
}

/** How SQLite carries out the queries that `work` sends to a store; each line begins with what it does to a table. */
export async function queryPlans(store: Store, work: (recording: Store) => Promise<void>): Promise<string[]> {
  const queries = new Map<string, SqlParameters>()
  await work({
    ...store,
    rows(columns, sql, parameters = {}) {
      queries.set(sql, parameters)
      return store.rows(columns, sql, parameters)
    },
  })
  return [...queries].flatMap(([sql, parameters]) => {
    const lines = store.rows({ detail: text }, `explain query plan ${sql}`, parameters)
    return lines.map(({ detail }) => `${detail}: ${sql.replace(/\s+/g, ' ')}`)
  })
}

/** The value at a dotted path. */
export const dig = (value: unknown, dotted: string): unknown =>
  dotted.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) {
      const element: unknown = inner[Number(name)]
      return element
    }
    return isObject(inner) ? inner[name] : undefined
  }, value)

/** A text at a dotted path. */
export function textAt(value: unknown, dotted: string): string {
  const found = dig(value, dotted)
  if (typeof found !== 'string') throw new TypeError(`There is no text at ${dotted}.`)
  return found
}

/** A file in a new directory, which is removed when it is disposed of. */
export function temporaryFile(name: string, text: string): Disposable & { readonly directory: string; readonly file: string } {
  const directory = mkdtempSync(path.join(tmpdir(), 'emulator-'))
  const file = path.join(directory, name)
  writeFileSync(file, text)
  return {
    directory,
    file,
    [Symbol.dispose]() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function coveredIds(testFolder: URL): Set<string> {
  const files = readdirSync(testFolder).filter((name) => name.endsWith('.test.ts'))
  const calls = files.flatMap((name) => [...readFileSync(new URL(name, testFolder), 'utf8').matchAll(/\bcovers\(([^)]*)\)/g)])
  return new Set(calls.flatMap(([, ids = '']) => [...ids.matchAll(/'([^']+)'/g)].map(([, id = '']) => id)))
}
