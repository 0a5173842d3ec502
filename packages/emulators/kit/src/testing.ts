import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type SqlParameters, type Store, text } from '@mcp-toolkits/sqlite'
import type {} from 'vitest'
import { isObject } from './json.ts'
import type { Rule, Rules } from './rules.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Ids of the rules covered by the test. */
    rules?: readonly string[]
  }
}

/** Creates `covers`, which turns rule ids into a test's options: `it('refuses an empty title', covers('issues/title-required'), …)`. */
export const coverageOf =
  <R extends Rules>() =>
  (...rules: readonly [keyof R & string, ...(keyof R & string)[]]) => ({ meta: { rules } })

/** Mistakes in an emulator's rules, and in the `covers` calls in the `*.test.ts` files of a folder and its subfolders. */
export function ruleProblems(rules: Rules, testFolder: URL): string[] {
  const covered = coveredIds(testFolder)
  return [
    ...Object.entries<Rule>(rules).flatMap(([id, rule]) => [
      ...(/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/.test(id) ? [] : [`${id}: the id is not kebab-case after an area`]),
      ...(rule.text.endsWith('.') ? [] : [`${id}: the text is not a sentence`]),
      ...('url' in rule && !URL.canParse(rule.url) ? [`${id}: ${rule.url} is not a page`] : []),
      ...('date' in rule && !isDay(rule.date) ? [`${id}: ${rule.date} is not a day`] : []),
      ...(covered.has(id) ? [] : [`${id}: no test covers it`]),
    ]),
    ...[...covered].filter((id) => !Object.hasOwn(rules, id)).map((id) => `${id}: a test covers it, but there is no such rule`),
  ]
}

const isDay = (date: string) => /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date))

/** SQLite's plans for the queries that `work` sends to a store; each line begins with the action on a table. */
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

/** The string at a dotted path. */
export function textAt(value: unknown, dotted: string): string {
  const found = dig(value, dotted)
  if (typeof found !== 'string') throw new TypeError(`There is no text at ${dotted}.`)
  return found
}

/** A file in a new directory. Disposing removes the directory. */
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

/** A database from an earlier version, created from a script written by `sqlite3 FILE .dump`. */
export interface FormerDatabase {
  /** Its script's name: `version-2.sql`. */
  readonly name: string
  /** A token that the emulator issued, from the script's first line. */
  readonly accessToken: string
  readonly restore: () => ReturnType<typeof temporaryFile>
}

/** Databases from earlier versions, in a folder of scripts. */
export const formerDatabases = (folder: URL): FormerDatabase[] =>
  readdirSync(folder).map((name) => {
    const script = readFileSync(new URL(name, folder), 'utf8')
    return {
      name,
      accessToken: /^-- .*Access token: (\S+)/.exec(script)?.[1] ?? '',
      restore() {
        const temporary = temporaryFile('former.db', '')
        const database = new DatabaseSync(temporary.file)
        database.exec(script)
        database.close()
        return temporary
      },
    }
  })

/** A received webhook. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  /** `raw` as text. */
  readonly body: string
}

/** A program on this machine that receives webhooks. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  /** Resolves when `count` requests have arrived. */
  readonly arrival: (count: number) => Promise<void>
}

/**
 * Starts a receiver. `statusOf` returns the status for a request's index, from 0; `hang` means no response. A 302 redirects elsewhere.
 */
export async function openReceiver(statusOf: (index: number) => number | 'hang' = () => 200): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const server = createServer((request, response) => {
    const parts: Uint8Array[] = []
    request.on('data', (part: Uint8Array) => parts.push(part))
    request.on('end', () => {
      const raw = Buffer.concat(parts)
      const status = statusOf(received.push({ headers: request.headers, raw, body: raw.toString() }) - 1)
      if (status !== 'hang') response.writeHead(status, status === 302 ? { location: 'http://192.0.2.1/' } : {}).end('ok')
      server.emit('received')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`,
    received,
    async arrival(count) {
      while (received.length < count) await once(server, 'received')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

function coveredIds(testFolder: URL): Set<string> {
  const files = readdirSync(testFolder, { encoding: 'utf8', recursive: true }).filter((name) => name.endsWith('.test.ts'))
  const calls = files.flatMap((name) => [...readFileSync(new URL(name, testFolder), 'utf8').matchAll(/\bcovers\(([^)]*)\)/g)])
  return new Set(calls.flatMap(([, ids = '']) => [...ids.matchAll(/'([^']+)'/g)].map(([, id = '']) => id)))
}
