import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Unauthenticated } from '../errors.ts'
import { decode, encode, isFields, type Fields, type Login } from './login.ts'

/** Which login is meant: the server that uses it, and the name that tells several accounts apart. */
export interface Place {
  readonly server: string
  readonly profile: string
}

/** The file that holds the logins of all servers: `accounts/credentials.json` in the data directory. */
export interface CredentialFile {
  readonly path: string
  /**
   * The login at a place; undefined when there is none. Throws `Unauthenticated` for a file that cannot be read or that somebody else
   * can have written. A file that others could read is closed to them.
   */
  readonly read: (place: Place) => Login | undefined
  /** Stores a login, or removes it. Whoever reads meanwhile sees the file before or after, and never a part of it. */
  readonly write: (place: Place, login: Login | undefined) => Promise<void>
  /** Runs `work` while nobody else, in any process, renews, stores or removes this login. */
  readonly alone: <T>(place: Place, work: () => Promise<T>) => Promise<T>
}

/** The version of the form in which logins are stored. */
const version = 1

/** Far more than any number of logins. */
const largestFile = 1024 * 1024

export function credentialFile(dataDirectory: string): CredentialFile {
  const directory = path.join(dataDirectory, 'accounts')
  const file = path.join(directory, 'credentials.json')
  return {
    path: file,
    read({ server, profile }) {
      const logins = serverIn(contentOf(file), server)[profile]
      if (logins === undefined) return undefined
      const login = decode(logins)
      if (!login) throw unusable(file, 'holds a login that this version cannot read')
      return login
    },
    async write(place, login) {
      makePrivate(directory)
      const { locked } = await loadLock()
      await locked(path.join(directory, 'credentials.lock'), async () => {
        await replace(file, changed(contentToChange(file), place, login))
      })
    },
    async alone({ server, profile }, work) {
      makePrivate(directory)
      const { locked } = await loadLock()
      return locked(path.join(directory, `${server}.${profile}.lock`), work)
    },
  }
}

function serverIn(content: Fields, server: string): Fields {
  const logins = isFields(content['logins']) ? content['logins'] : {}
  const found = logins[server]
  return isFields(found) ? { __proto__: null, ...found } : {}
}

/** The content with one login changed. What else stands there stays as it is, known to this version or not. */
function changed(content: Fields, { server, profile }: Place, login: Login | undefined): Fields {
  const others = Object.entries(serverIn(content, server)).filter(([name]) => name !== profile)
  const logins = isFields(content['logins']) ? content['logins'] : {}
  const ours = { ...Object.fromEntries(others), ...(login && { [profile]: encode(login) }) }
  return { ...content, version, logins: { ...logins, [server]: ours } }
}

/** A file that is no JSON holds nothing that could be kept: signing in again mends it. */
function contentToChange(file: string): Fields {
  const text = textOf(file)
  const content = text === undefined ? {} : parsed(text)
  if (content && typeof content['version'] === 'number' && content['version'] > version) throw newer(file)
  return content ?? {}
}

function contentOf(file: string): Fields {
  const text = textOf(file)
  if (text === undefined) return {}
  const content = parsed(text)
  if (!content) throw unusable(file, 'is damaged')
  if (content['version'] !== version) throw newer(file)
  return content
}

/** Never lets the parser's error out: it quotes the text. */
function parsed(text: string): Fields | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isFields(content) ? content : undefined
  } catch {
    return undefined
  }
}

/** The text of the file, once it is sure that nobody else can have written it; undefined when there is none. */
function textOf(file: string): string | undefined {
  const handle = opened(file)
  if (handle === undefined) return undefined
  try {
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > largestFile) throw unusable(file, 'is not a file of logins')
    checkDirectory(path.dirname(file))
    checkOwner(file, found, (mode) => {
      fchmodSync(handle, mode)
    })
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

function opened(file: string): number | undefined {
  try {
    // Follows no link and waits for no pipe; Windows, which has neither flag, counts them as 0.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unusable(file, `cannot be opened (${code})`)
  }
}

function checkDirectory(directory: string): void {
  checkOwner(directory, statSync(directory), (mode) => {
    chmodSync(directory, mode)
  })
}

/** On Windows the directory inherits from the person's profile who may open it. */
function checkOwner(name: string, { uid, mode }: Stats, narrow: (mode: number) => void): void {
  const self = process.getuid?.()
  if (self === undefined) return
  if (uid !== self) throw unusable(name, 'belongs to another user of this machine')
  if ((mode & 0o022) !== 0) throw unusable(name, 'can be changed by other users of this machine')
  if ((mode & 0o077) === 0) return
  try {
    narrow(mode & 0o700)
  } catch (error) {
    throw unusable(name, `can be read by other users of this machine, and that cannot be mended (${codeOf(error)})`)
  }
}

/** A directory that its owner alone can look into. Levels that are missing are made one after another: Node's own recursion never ends where a file system refuses to create anything, as in /proc. */
function makePrivate(directory: string): void {
  const missing: string[] = []
  for (let level = directory; !existsSync(level); level = path.dirname(level)) missing.unshift(level)
  for (const level of missing) {
    try {
      mkdirSync(level, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
  checkDirectory(directory)
}

/** Puts new content in place of the file at once. A process that dies before that leaves the old content, and its copy to the next writer. */
async function replace(file: string, content: Fields): Promise<void> {
  const directory = path.dirname(file)
  for (const name of readdirSync(directory)) if (name.endsWith('.new')) rmSync(path.join(directory, name), { force: true })
  const copy = path.join(directory, `${randomBytes(6).toString('hex')}.new`)
  const handle = openSync(copy, 'wx', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  await rename(copy, file)
  if (process.platform !== 'win32') sync(directory)
}

/** On Windows a scanner that looks at the file can be in the way for a moment. */
async function rename(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to)
      return
    } catch (error) {
      if (attempt === 6 || !['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(error))) throw error
      await delay(10 * 2 ** attempt)
    }
  }
}

/** Without this the new name could be gone after a power cut. */
function sync(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}

function unusable(name: string, problem: string): Unauthenticated {
  return new Unauthenticated(`${name} ${problem}, so no login in it is used. Delete it and sign in again.`)
}

function newer(file: string): Unauthenticated {
  return new Unauthenticated(`${file} was written by a newer version of this program. Update this one.`)
}

/** A start reads who is signed in; only signing in and renewing take the lock. */
async function loadLock() {
  return import('./lock.ts')
}
