import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { openStore, type Store } from '@mcp-toolkits/store'
import type * as z from 'zod'
import { formatPath, SeedError } from './seed.ts'
import { parseSeedText, type SeedText } from './seed-text.ts'

export interface SeedFileOptions<Seed> {
  readonly schema: z.ZodType<Seed>
  /** The tables of the emulator. */
  readonly migrations: readonly string[]
  /** Fills new tables. Throws `SeedError` for a seed that the schema allows and that cannot be loaded. */
  readonly load: (store: Store, seed: Seed, now: number) => void
}

/** Reads a seed from a file of YAML or JSON, and loads it into a store that is thrown away. Throws `SeedError` with the file, the line and the path of what is wrong. */
export async function readSeedFile<Seed>(file: string, { schema, ...options }: SeedFileOptions<Seed>): Promise<Seed> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    if (code === 'ENOENT' && isName(file)) throw new SeedError([], unknownName(file))
    throw new SeedError([], `The seed ${path.resolve(file)} cannot be read (${code}).`)
  })
  const parsed = parseSeedText(text.replace(/^\uFEFF/, ''))
  if ('problem' in parsed) throw located(file, parsed.line, parsed.problem)
  const { value, lineOf } = parsed
  const checked = schema.safeParse(value)
  if (!checked.success) throw schemaError(file, checked.error, lineOf)
  try {
    tryLoad(checked.data, options)
  } catch (error) {
    throw error instanceof SeedError ? located(file, lineOf(error.path), error.message) : error
  }
  return checked.data
}

const isName = (text: string) => !/[/\\]|\.(?:ya?ml|json)$/i.test(text)

/** The built-in seeds, whose first two letters differ. */
const builtIn = ['company', 'edge-cases', 'empty']

function unknownName(text: string): string {
  const closest = builtIn.find((name) => name.startsWith(text.slice(0, 2).toLowerCase() || ' '))
  const meant = closest === undefined ? '' : ` Did you mean ${closest}?`
  const choices = `Give ${builtIn.slice(0, -1).join(', ')} or ${builtIn.at(-1)}, or the path of a file of YAML or JSON.`
  return `There is no seed ${JSON.stringify(text)}, and no file ${path.resolve(text)}.${meant} ${choices}`
}

function tryLoad<Seed>(seed: Seed, { migrations, load }: Pick<SeedFileOptions<Seed>, 'migrations' | 'load'>): void {
  const store = openStore({ file: ':memory:', migrations })
  try {
    store.writeNow(() => {
      load(store, seed, Date.now())
    })
  } finally {
    void store.close()
  }
}

/** The first problem, and how many there are. */
function schemaError(file: string, { issues }: z.ZodError, lineOf: SeedText['lineOf']): SeedError {
  const [first] = issues
  const at = (first?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)))
  const where = at.length === 0 ? '' : `${formatPath(at)}: `
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return located(file, lineOf(at), `${where}${first?.message ?? 'invalid'}${others}`)
}

const located = (file: string, line: number, message: string) =>
  new SeedError([], `${path.basename(file)}, line ${line}: ${message.replace(/\.?$/, '.')}`)
