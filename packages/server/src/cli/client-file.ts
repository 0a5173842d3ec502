import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, type JsonObject } from '@mcp-toolkits/core/json'
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser'
import { UsageError } from './command.ts'

/** What was in the file. */
interface Written {
  /** How many other servers it names. */
  readonly others: number
  /** Whether the member was there. */
  readonly updated: boolean
  /** The permissions of the file now. */
  readonly mode: number
}

interface NewMember {
  readonly path: readonly string[]
  readonly value: object
  /** Names in a present member that contradict the new one. */
  readonly foreign: readonly string[]
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' } as const

/** What has to change in a member. What a person added stays: other names, also in objects, and the end of a list that begins with the new one. */
function mergeInto(found: JsonObject, value: object, foreign: readonly string[]): Change[] {
  const removed: Change[] = foreign.filter((name) => Object.hasOwn(found, name)).map((name) => ({ at: [name], to: undefined }))
  const set = Object.entries<unknown>({ ...value }).flatMap(([name, to]): Change[] => {
    const present = found[name]
    if (isObject(to) && isObject(present)) return Object.entries(to).map(([inner, each]) => ({ at: [name, inner], to: each }))
    const isLonger = Array.isArray(to) && Array.isArray(present) && to.every((each, index) => present[index] === each)
    return isLonger || present === to ? [] : [{ at: [name], to }]
  })
  return [...removed, ...set]
}

interface Change {
  readonly at: readonly string[]
  /** Undefined to remove it. */
  readonly to: unknown
}

/**
 * Sets one member of a JSON file that a person also edits, or merges into it: everything else stays as it is, comments included. A new file and its directory
 * belong to this user alone, because the member may hold a key. Throws `UsageError` for a file that is not JSON.
 */
export async function writeMember(file: string, { path: keys, value, foreign }: NewMember): Promise<Written> {
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
  const found = isObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined
  const change = (text: string, at: readonly string[], to: unknown) => applyEdits(text, modify(text, [...at], to, { formattingOptions }))
  const after = isObject(found)
    ? mergeInto(found, value, foreign).reduce((text, { at, to }) => change(text, [...keys, ...at], to), before)
    : change(before, keys, value)
  const mode = await replaceFile(file, after)
  return { mode, others: names.filter((each) => each !== name).length, updated: found !== undefined }
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
