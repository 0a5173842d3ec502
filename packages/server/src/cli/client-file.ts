import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject } from '@mcp-toolkits/core/json'
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser'
import { UsageError } from './command.ts'

/** What was in the file. */
interface Written {
  /** How many other servers it names. */
  readonly others: number
  readonly replaced: boolean
  /** The permissions of the file now. */
  readonly mode: number
}

/**
 * Sets one member of a JSON file that a person also edits: everything else stays as it is, comments included. A new file and its directory
 * belong to this user alone, because the member may hold a key. Throws `UsageError` for a file that is not JSON.
 */
export async function writeMember(
  file: string,
  { path: keys, value }: { readonly path: readonly string[]; readonly value: object },
): Promise<Written> {
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  const errors: ParseError[] = []
  const content: unknown = before.trim() === '' ? {} : parse(before, errors, { allowTrailingComma: true })
  if (errors.length > 0 || !isObject(content))
    throw new UsageError(`${file} is not a JSON object, so it was left as it is. Correct it first.`)
  const servers = keys.slice(0, -1).reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), content)
  const names = isObject(servers) ? Object.keys(servers) : []
  const name = keys.at(-1) ?? ''
  const edits = modify(before, [...keys], value, { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } })
  const mode = await replaceFile(file, applyEdits(before, edits))
  return { mode, others: names.filter((each) => each !== name).length, replaced: names.includes(name) }
}

/** Writes beside the file and renames, so that a client never reads a half of it. Resolves with the permissions of the file. */
async function replaceFile(file: string, text: string): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  // Where people keep their configuration elsewhere, the file is a link.
  const target = await realpath(file).catch(() => file)
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  )
  const temporary = `${target}.${process.pid}.tmp`
  await writeFile(temporary, text.endsWith('\n') ? text : `${text}\n`, { mode })
  await rename(temporary, target)
  return mode
}
