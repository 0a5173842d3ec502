import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Unauthenticated } from '../errors.ts'
import { decode, encode, isFields, type Fields, type Login } from './login.ts'
import { checkDirectory, checkOwner, codeOf, unusable } from './ownership.ts'

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
  /** Throws what `write` would throw, as far as that can be known without replacing the file. */
  readonly checkWritable: (place: Place) => Promise<void>
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
  const alone = async <T>({ server, profile }: Place, work: () => Promise<T>): Promise<T> => {
    const { locked, makePrivate } = await loadWriting()
    makePrivate(directory)
    return locked(path.join(directory, `${server}.${profile}.lock`), work)
  }
  /** Lets one writer at a time see what is to be changed. */
  const changing = async (change: (content: Fields) => Promise<void>) => {
    const { locked, makePrivate } = await loadWriting()
    makePrivate(directory)
    await locked(path.join(directory, 'credentials.lock'), () => change(contentToChange(file)))
  }
  return {
    path: file,
    alone,
    async write(place, login) {
      const { replace } = await loadWriting()
      await changing((content) => replace(file, changed(content, place, login)))
    },
    async checkWritable(place) {
      const { rehearse } = await loadWriting()
      await alone(place, () =>
        changing((content) => {
          rehearse(file, content)
          return Promise.resolve()
        }),
      )
    },
    read({ server, profile }) {
      const logins = serverIn(contentOf(file), server)[profile]
      if (logins === undefined) return undefined
      const login = decode(logins)
      if (!login) throw unusable(file, 'holds a login that this version cannot read')
      return login
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
  if (content && isNewer(content)) throw newer(file)
  return content ?? {}
}

const isNewer = ({ version: found }: Fields) => typeof found === 'number' && found > version

function contentOf(file: string): Fields {
  const text = textOf(file)
  if (text === undefined) return {}
  const content = parsed(text)
  if (content && isNewer(content)) throw newer(file)
  if (content?.['version'] !== version) throw unusable(file, 'is damaged')
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

function newer(file: string): Unauthenticated {
  return new Unauthenticated(`${file} was written by a newer version of this program. Update this one.`)
}

/** A start reads who is signed in; only signing in and renewing write. */
async function loadWriting() {
  const [{ locked }, replacement] = await Promise.all([import('./lock.ts'), import('./replacement.ts')])
  return { locked, ...replacement }
}
