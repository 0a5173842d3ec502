import { chmodSync, closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import path from 'node:path'
import { type Clock, isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { systemErrorCode, Unauthenticated } from '@mcp-toolkits/core/errors'
import { decodeLogin, encodeLogin, type Login } from './login-format.ts'

/** Identifies a stored login. */
export interface ProfileKey {
  readonly server: string
  readonly profile: string
}

/** Stores all servers' logins. */
export interface TokenStore {
  /** The location of the logins, for messages. */
  readonly location: string
  /** Undefined if there is no login. Throws `Unauthenticated` if the stored login cannot be read or trusted. */
  readonly read: (key: ProfileKey) => Promise<Login | undefined>
  /** Stores a login, or removes it. A reader sees the state before or after, never in between. */
  readonly write: (key: ProfileKey, login: Login | undefined) => Promise<void>
  /** Throws those errors of `write` that can be detected without changing a login. */
  readonly checkWritable: (key: ProfileKey) => Promise<void>
  /** Runs `work` while no other process, and no other caller in this one, refreshes, stores or removes this login. */
  readonly withLock: <Result>(key: ProfileKey, work: () => Promise<Result>) => Promise<Result>
}

/** Logins shared by replicas, used instead of the data directory's. */
export interface SharedLogins {
  readonly store: TokenStore
  /** This server's login at startup, which determines its upstream without asking the store again. */
  readonly atStart: Login | undefined
}

/** The settings that determine where logins are stored. */
export interface LoginPlace {
  readonly dataDirectory: string
  /** The logins in the `--store` database; if absent, the data directory's. */
  readonly sharedLogins?: SharedLogins | undefined
}

/** The version of the file format. */
const version = 1

/** Maximum size, in bytes, of the file that we read: far more than logins take. */
const maxFileSize = 1024 * 1024

/** The store that the replicas share, or else the data directory's. */
export function tokenStoreOf({ dataDirectory, sharedLogins }: LoginPlace, clock?: Clock): TokenStore {
  return sharedLogins?.store ?? openTokenStore(dataDirectory, clock)
}

/** The login that determines a server's upstream, available without waiting. */
export function loginAtStart({ dataDirectory, sharedLogins }: LoginPlace, key: ProfileKey): Login | undefined {
  return sharedLogins ? sharedLogins.atStart : readStoredLogin(dataDirectory, key)
}

/** The store in `accounts/credentials.json` of a data directory. */
export function openTokenStore(dataDirectory: string, clock?: Clock): TokenStore {
  const file = credentialFile(dataDirectory)
  const directory = path.dirname(file)
  const withFileLock = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const shared = await import('./shared-file.ts')
    shared.makePrivateDirectory(directory)
    checkDirectory(directory)
    const file = path.join(directory, name)
    refuseLink(file)
    return shared.withFileLock(file, work, clock)
  }
  const withLock: TokenStore['withLock'] = ({ server, profile }, work) => withFileLock(`${server}.${profile}.lock`, work)
  return {
    location: file,
    withLock,
    read: (key) =>
      new Promise((resolve) => {
        resolve(readStoredLogin(dataDirectory, key))
      }),
    async write(key, login) {
      const { replaceFile } = await import('./shared-file.ts')
      await withFileLock('credentials.lock', () => replaceFile(file, serialize(setLogin(readForChange(file), key, login)), clock))
    },
    async checkWritable(key) {
      const { checkReplaceable } = await import('./shared-file.ts')
      await withLock(key, () =>
        withFileLock('credentials.lock', () => {
          checkReplaceable(file, serialize(readForChange(file)))
          return Promise.resolve()
        }),
      )
    },
  }
}

/** The synchronous form of `TokenStore.read`: a server must know its upstream before it can serve. */
function readStoredLogin(dataDirectory: string, { server, profile }: ProfileKey): Login | undefined {
  const file = credentialFile(dataDirectory)
  const stored = loginsOf(readContent(file), server)[profile]
  if (stored === undefined) return undefined
  const login = decodeLogin(stored)
  if (!login) throw unusable(file, 'holds a login that this version cannot read')
  return login
}

function credentialFile(dataDirectory: string): string {
  return path.join(dataDirectory, 'accounts', 'credentials.json')
}

function loginsOf(content: JsonObject, server: string): JsonObject {
  const logins = isObject(content['logins']) ? content['logins'] : {}
  const profiles = logins[server]
  return isObject(profiles) ? { __proto__: null, ...profiles } : {}
}

/** The content with one login replaced. Everything else stays unchanged, including parts unknown to this version. */
function setLogin(content: JsonObject, { server, profile }: ProfileKey, login: Login | undefined): JsonObject {
  const others = Object.entries(loginsOf(content, server)).filter(([name]) => name !== profile)
  const logins = isObject(content['logins']) ? content['logins'] : {}
  const changed = { ...Object.fromEntries(others), ...(login && { [profile]: encodeLogin(login) }) }
  return { ...content, version, logins: { ...logins, [server]: changed } }
}

const serialize = (content: JsonObject) => `${JSON.stringify(content, null, 2)}\n`

function readContent(file: string): JsonObject {
  const text = readTrustedText(file)
  if (text === undefined) return {}
  const content = parseContent(file, text)
  if (content?.['version'] !== version) throw unusable(file, 'is damaged')
  return content
}

/** Like `readContent`, but a file that is not JSON counts as empty, so that the next login replaces it. */
function readForChange(file: string): JsonObject {
  const text = readTrustedText(file)
  return (text === undefined ? undefined : parseContent(file, text)) ?? {}
}

function parseContent(file: string, text: string): JsonObject | undefined {
  const content = parseJson(text)
  if (!isObject(content)) return undefined
  if (typeof content['version'] === 'number' && content['version'] > version) {
    throw new Unauthenticated(`${file} was written by a newer version of this program. Update this one.`)
  }
  return content
}

/** The file's text, if no other user can have written it; undefined if there is no file. */
function readTrustedText(file: string): string | undefined {
  const handle = openForReading(file)
  if (handle === undefined) return undefined
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile() || stats.size > maxFileSize) throw unusable(file, 'is not a login file')
    checkDirectory(path.dirname(file))
    checkOwner(file, stats, (mode) => {
      fchmodSync(handle, mode)
    })
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

function openForReading(file: string): number | undefined {
  refuseLink(file)
  try {
    // Follows no link and does not wait for a pipe. Windows lacks both flags, which count as 0 there.
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unusable(file, `cannot be opened (${code ?? 'unknown'})`)
  }
}

/**
 * Throws for a link, which could redirect our tokens and mode changes to other programs' files. The data directory itself may be a link.
 */
function refuseLink(name: string): void {
  if (lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw unusable(name, 'is a symbolic link')
}

/** Refuses a directory that other users can change, or that is a link. */
function checkDirectory(directory: string): void {
  refuseLink(directory)
  checkOwner(directory, lstatSync(directory), (mode) => {
    chmodSync(directory, mode)
  })
}

/**
 * Refuses files that other users can change, and makes private any that they can read. On Windows, the user's profile decides who has
 * access.
 */
function checkOwner(name: string, { uid, mode }: Stats, setMode: (mode: number) => void): void {
  const self = process.getuid?.()
  if (self === undefined) return
  if (uid !== self) throw unusable(name, 'belongs to another user of this machine')
  if ((mode & 0o022) !== 0) throw unusable(name, 'can be changed by other users of this machine')
  if ((mode & 0o077) === 0) return
  try {
    setMode(mode & 0o700)
  } catch (error) {
    throw unusable(name, `can be read by other users of this machine, and that cannot be changed (${systemErrorCode(error) ?? 'unknown'})`)
  }
}

function unusable(name: string, problem: string): Unauthenticated {
  return new Unauthenticated(`${name} ${problem}, so no login in it is used. Delete it and sign in again.`)
}
