import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { isSystemError } from '@mcp-toolkits/core/errors'
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser'
import { UsageError } from '../command.ts'

/** Outcome of writing a member to the file. */
interface Written {
  /** Number of other servers in the file. */
  readonly others: number
  /** True if the member already existed. */
  readonly updated: boolean
  /** The file itself, after following any links. */
  readonly target: string
  /** The file's permissions after the write. */
  readonly mode: number
}

interface NewMember {
  readonly path: readonly string[]
  readonly value: object
  /** Names to remove from an existing member, because they contradict the new one. */
  readonly foreign: readonly string[]
}

/**
 * Changes that a member needs. A person's additions stay: other names at any depth, and items at the end of a list.
 */
function mergeInto(found: JsonObject, value: object, foreign: readonly string[]): Change[] {
  const removed: Change[] = foreign.filter((name) => Object.hasOwn(found, name)).map((name) => ({ at: [name], to: undefined }))
  const set = Object.entries<unknown>({ ...value }).flatMap(([name, to]): Change[] => {
    const present = found[name]
    if (isObject(to) && isObject(present)) return mergeInto(present, to, []).map(({ at, ...rest }) => ({ at: [name, ...at], ...rest }))
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
 * Sets one member of a JSON file that a person also edits, or merges into it: everything else stays unchanged, comments included. A new
 * file and its directory belong to this user alone, because the member may hold a key. `project` is the project folder that the file
 * belongs to: others may have put links there, so none are followed below it. Throws `UsageError` for a file that cannot be changed.
 */
export async function writeMember(file: string, member: NewMember, project?: string): Promise<Written> {
  if (project !== undefined) await refuseLinks(file, project)
  const { target, mode, text } = await readTarget(file)
  const { after, ...found } = withoutOverflow(file, () => edit(text.replace(/^\uFEFF/, ''), member, file))
  await replaceFile(target, { text: text.startsWith('\uFEFF') ? `\uFEFF${after}` : after, mode })
  return { ...found, target, mode }
}

/** Reports a file nested too deeply for the parser as the user's problem, not as a defect. */
function withoutOverflow<Result>(file: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw unusable(file, 'is nested too deeply')
    throw error
  }
}

function unusable(file: string, problem: string): UsageError {
  return new UsageError(`${file} ${problem}, so it was left as it is. Correct it first.`)
}

/** The file's text with the member in it. */
function edit(before: string, { path: keys, value, foreign }: NewMember, file: string) {
  const read = (text: string): unknown => {
    const errors: ParseError[] = []
    const content: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true })
    return errors.length > 0 ? undefined : content
  }
  const parents = keys.slice(0, -1)
  const [content, name] = [read(before), keys.at(-1) ?? '']
  if (!isObject(content)) throw unusable(file, 'is not a JSON object')
  const present = parents.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : parent), content)
  const servers = present === undefined ? {} : present
  if (!isObject(servers)) throw unusable(file, `has "${parents.join('.')}", which is not an object`)
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: before.includes('\r\n') ? '\r\n' : '\n' }
  const change = (text: string, at: readonly string[], to: unknown) => applyEdits(text, modify(text, [...at], to, { formattingOptions }))
  const after = isObject(found)
    ? mergeInto(found, value, foreign).reduce((text, { at, to }) => change(text, [...keys, ...at], to), before)
    : change(before, keys, value)
  // If two members share a name, an edit changes the first, and clients read the last.
  const written = keys.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), read(after))
  if (!isObject(written) || mergeInto(written, value, foreign).length > 0) throw unusable(file, `has "${keys.join('.')}" twice`)
  return { after, others: Object.keys(servers).filter((each) => each !== name).length, updated: found !== undefined }
}

/** Throws `UsageError` if the file, or a folder between the project and it, is a link. */
async function refuseLinks(file: string, project: string): Promise<void> {
  const names = path.relative(project, file).split(path.sep)
  for (const index of names.keys()) {
    const place = path.join(project, ...names.slice(0, index + 1))
    if ((await found(place))?.isSymbolicLink() !== true) continue
    const leads = path.resolve(path.dirname(place), await readlink(place))
    throw new UsageError(
      `${place} is a link to ${leads}, and nothing was written: whoever wrote this project chose where it leads. Replace the link with a file of your own, or run the command without --write and paste what it prints.`,
    )
  }
}

const found = async (place: string) =>
  lstat(place).catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined
    throw error
  })

/** The file that a client reads; for a link, its target, because people may keep their configuration elsewhere. */
async function readTarget(file: string): Promise<{ readonly target: string; readonly mode: number; readonly text: string }> {
  const entry = await found(file)
  if (!entry) return { target: file, mode: 0o600, text: '' }
  const target = await realpath(file).catch(() => undefined)
  const facts = target === undefined ? undefined : await found(target)
  if (target === undefined || !facts) throw new UsageError(`${file} is a link to nothing. Remove it, or create its target.`)
  if (!facts.isFile()) throw new UsageError(`${target} is not a file, so nothing was written.`)
  // Renaming onto a read-only file would succeed.
  if ((facts.mode & 0o222) === 0) throw new UsageError(`${target} is read-only, so it was left as it is. Make it writable first.`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(target))
    return { target, mode: facts.mode & 0o777, text }
  } catch (error) {
    if (error instanceof TypeError) throw unusable(target, 'is not UTF-8 text')
    throw error
  }
}

/** Renames a new file into place, so that no client reads half of it. Its temporary name is unpredictable and must be unused. */
async function replaceFile(target: string, { text, mode }: { readonly text: string; readonly mode: number }): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
  const temporary = `${target}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text.endsWith('\n') ? text : `${text}\n`, { mode, flag: 'wx' })
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}
