import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { Secret } from '@mcp-toolkits/core/upstream'
import { openTokenStore } from './login-store.ts'
import { key, loginWith, tokensNamed } from '../../../test/account/logins.ts'
import { plain, tokenStoreContract } from '../../../test/account/login-store-contract.ts'
import { temporaryDirectory } from '../../../test/account/temporary-directory.ts'

const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8)

describe('logins in a file', () => {
  tokenStoreContract(async () => {
    const directory = await temporaryDirectory()
    return [openTokenStore(directory), openTokenStore(directory)]
  })
})

async function stored(text?: string) {
  const store = openTokenStore(path.join(await temporaryDirectory(), 'new', 'data'))
  await store.write(key, loginWith())
  if (text !== undefined) await writeFile(store.location, text)
  return store
}

it('stores a login for its owner only, and leaves no other files behind', async () => {
  const store = await stored()
  expect(plain(await store.read(key))).toEqual(plain(loginWith()))
  expect(await store.read({ ...key, profile: 'work' })).toBeUndefined()
  expect(await modeOf(store.location)).toBe('600')
  const directory = path.dirname(store.location)
  for (const level of [directory, path.join(directory, '..'), path.join(directory, '..', '..')]) expect(await modeOf(level)).toBe('700')
  await store.withLock(key, () => Promise.resolve())
  const beside = await readdir(path.dirname(store.location))
  expect(beside.toSorted()).toEqual(['credentials.json', 'credentials.lock', 'tracker.default.lock'])
  for (const name of beside) expect(await modeOf(path.join(path.dirname(store.location), name)), name).toBe('600')
})

it('has no login before one is written, and creates nothing to find out', async () => {
  const directory = await temporaryDirectory()
  expect(await openTokenStore(directory).read(key)).toBeUndefined()
  expect(await openTokenStore(path.join(directory, 'not', 'there')).read(key)).toBeUndefined()
  expect(await readdir(directory)).toEqual([])
})

it('stores the logins of each server and profile separately', async () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/)
  const word = fc.string({ minLength: 1, maxLength: 20 })
  // Every secret is redacted until the process ends, so no token may be text that another test expects to read.
  const token = word.map((text) => `canary-token-store-${text}`)
  const entry = fc.record({ server: name, profile: name, account: word, token, scopes: fc.array(word, { maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(entry, { maxLength: 5, selector: ({ server, profile }) => `${server}/${profile}` }),
      async (entries) => {
        const store = openTokenStore(await temporaryDirectory())
        const logins = entries.map(({ server, profile, account, token, scopes }) => ({
          at: { server, profile },
          login: loginWith({ account: { account }, scopes, tokens: { accessToken: new Secret(token) } }),
        }))
        for (const { at, login } of logins) await store.write(at, login)
        for (const { at, login } of logins) expect(plain(await store.read(at))).toEqual(plain(login))
        for (const { at } of logins) await store.write(at, undefined)
        for (const { at } of logins) expect(await store.read(at)).toBeUndefined()
      },
    ),
    { numRuns: 25 },
  )
})

it('stores a login that has ended, and client secrets', async () => {
  const store = await stored()
  const { tokens, ...ended } = loginWith({ client: { id: 'web', secret: new Secret('hush') } })
  expect(tokens).toBeDefined()
  await store.write(key, ended)
  expect(plain(await store.read(key))).toEqual(plain(ended))
})

it('keeps unknown members of the file', async () => {
  const store = await stored()
  const content: unknown = JSON.parse(await readFile(store.location, 'utf8'))
  const later = { later: { kept: 1 } }
  await writeFile(store.location, JSON.stringify(Object.assign({}, content, later)))
  await store.write({ ...key, profile: 'work' }, loginWith())
  expect(JSON.parse(await readFile(store.location, 'utf8'))).toMatchObject({ version: 1, ...later })
  expect(await store.read(key)).toBeDefined()
})

it.each([0o644, 0o640, 0o604])('makes a file and a directory private that others can read (%o)', async (mode) => {
  const store = await stored()
  await chmod(store.location, mode)
  await chmod(path.dirname(store.location), 0o755)
  expect(await store.read(key)).toBeDefined()
  expect(await modeOf(store.location)).toBe('600')
  expect(await modeOf(path.dirname(store.location))).toBe('700')
})

it.each([0o602, 0o660, 0o666])('refuses a file that others can change (%o)', async (mode) => {
  const store = await stored()
  await chmod(store.location, mode)
  await expect(store.read(key)).rejects.toThrow(Unauthenticated)
  await expect(store.read(key)).rejects.toThrow('can be changed by other users')
  await expect(store.write(key, loginWith())).rejects.toThrow('can be changed by other users')
  await expect(store.checkWritable(key)).rejects.toThrow('can be changed by other users')
})

it('checks whether a login could be stored without storing anything', async () => {
  const empty = openTokenStore(await temporaryDirectory())
  await empty.checkWritable(key)
  expect(await readdir(path.dirname(empty.location))).not.toContain('credentials.json')
  const store = await stored()
  const before = await readdir(path.dirname(store.location))
  await store.checkWritable(key)
  expect(await readdir(path.dirname(store.location))).toEqual([...before, 'tracker.default.lock'].toSorted())
  expect(plain(await store.read(key))).toEqual(plain(loginWith()))
})

it.runIf(process.platform !== 'win32')('keeps its content when the disk fills up during a write', async () => {
  const directory = await temporaryDirectory()
  const store = openTokenStore(directory)
  await store.write(key, loginWith())
  const before = await readFile(store.location, 'utf8')
  const writer = `
    import { openTokenStore } from ${JSON.stringify(path.join(import.meta.dirname, 'login-store.ts'))}
    import { loginWith, key } from ${JSON.stringify(path.join(import.meta.dirname, '..', '..', '..', 'test', 'account', 'logins.ts'))}
    const store = openTokenStore(process.argv[1])
    const long = loginWith({ account: { account: 'a'.repeat(4000) } })
    for (const attempt of [() => store.write(key, long), () => store.checkWritable({ ...key, profile: 'work' }), () => store.read(key)]) {
      console.log(await Promise.try(attempt).then(() => 'done', (error) => error.code))
    }`
  // Two blocks of 512 or 1024 bytes, depending on the shell.
  const limited = ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', writer, directory]
  const child = spawn('/bin/sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(output.split('\n').slice(0, 3)).toEqual(['EFBIG', 'done', 'done'])
  expect(await readFile(store.location, 'utf8')).toBe(before)
  expect((await readdir(path.dirname(store.location))).filter((name) => name.endsWith('.new'))).toEqual([])
})

it.each(['apiUrl', 'authorizationUrl', 'tokenUrl', 'revocationUrl'] as const)(
  'refuses a login whose %s would expose its tokens',
  async (name) => {
    for (const address of ['http://192.0.2.1/v1', 'not a url', 'https://ada:canary@acme.example/', 'ftp://127.0.0.1/']) {
      const store = await stored()
      await store.write(key, loginWith({ [name]: address }))
      await expect(store.read(key), address).rejects.toThrow('holds a login that this version cannot read')
    }
    const store = await stored()
    await store.write(key, loginWith({ [name]: 'http://127.0.0.1:41000/v1' }))
    expect(await store.read(key)).toBeDefined()
  },
)

it('refuses a file in a directory that others can change, and a link', async () => {
  const store = await stored()
  await chmod(path.dirname(store.location), 0o777)
  await expect(store.read(key)).rejects.toThrow(`${path.dirname(store.location)} can be changed by other users`)
  const empty = openTokenStore(await temporaryDirectory())
  await mkdir(path.dirname(empty.location), { mode: 0o755 })
  await empty.write(key, loginWith())
  expect(await modeOf(path.dirname(empty.location))).toBe('700')
  const linked = openTokenStore(await temporaryDirectory())
  await mkdir(path.dirname(linked.location), { mode: 0o700 })
  await symlink(store.location, linked.location)
  await expect(linked.read(key)).rejects.toThrow('is a symbolic link, so no login in it is used')
  const directory = openTokenStore(await temporaryDirectory())
  await mkdir(directory.location, { recursive: true, mode: 0o700 })
  await expect(directory.read(key)).rejects.toThrow('is not a login file')
})

it('follows no link inside the data directory, and changes no mode behind one', async () => {
  const store = await stored()
  const linked = openTokenStore(await temporaryDirectory())
  const accounts = path.dirname(linked.location)
  await chmod(path.dirname(store.location), 0o755)
  await symlink(path.dirname(store.location), accounts)
  await expect(linked.read(key)).rejects.toThrow(`${accounts} is a symbolic link`)
  await expect(linked.write(key, loginWith())).rejects.toThrow(`${accounts} is a symbolic link`)
  expect(await modeOf(path.dirname(store.location))).toBe('755')

  const locked = openTokenStore(await temporaryDirectory())
  await locked.write(key, loginWith())
  const lock = path.join(path.dirname(locked.location), `${key.server}.${key.profile}.lock`)
  await rm(lock, { force: true })
  const target = path.join(await temporaryDirectory(), 'target')
  await symlink(target, lock)
  await expect(locked.withLock(key, () => Promise.resolve())).rejects.toThrow(`${lock} is a symbolic link`)
  await expect(stat(target)).rejects.toThrow('ENOENT')

  const data = path.join(await temporaryDirectory(), 'data')
  await symlink(path.dirname(path.dirname(locked.location)), data)
  expect(await openTokenStore(data).read(key)).toBeDefined()
})

it.runIf(process.getuid?.() === 0)('refuses a file of another user', async () => {
  const store = await stored()
  await chown(store.location, 1234, 1234)
  await expect(store.read(key)).rejects.toThrow('belongs to another user')
})

it.each([
  '',
  '{',
  '[]',
  'null',
  '{}',
  '{"version":0}',
  '{"version":"2"}',
  '{"version":1,"logins":{"tracker":{"default":{"access_token":"canary"}}}}',
])('reports a damaged file without quoting it, and replaces it with the next login: %s', async (text) => {
  const store = await stored(text)
  await expect(store.read(key)).rejects.toThrow(/is damaged|cannot read/)
  await expect(store.read(key)).rejects.not.toThrow(/canary/)
  await store.write(key, loginWith())
  expect(await store.read(key)).toBeDefined()
})

it('does not change a file of a newer version', async () => {
  const store = await stored('{"version":2}')
  await expect(store.read(key)).rejects.toThrow('newer version')
  await expect(store.write(key, loginWith())).rejects.toThrow('newer version')
  await expect(store.checkWritable(key)).rejects.toThrow('newer version')
  expect(await readFile(store.location, 'utf8')).toBe('{"version":2}')
})

it('replaces the file in one step, and removes the copy of a writer that died', async () => {
  const store = await stored()
  const before = path.join(path.dirname(store.location), 'before')
  await link(store.location, before)
  await writeFile(path.join(path.dirname(store.location), 'abc.new'), 'half')
  await store.write(key, loginWith({ tokens: tokensNamed('second') }))
  expect(await readFile(before, 'utf8')).toContain('access-first')
  expect(await readFile(store.location, 'utf8')).toContain('access-second')
  expect(await readdir(path.dirname(store.location))).not.toContain('abc.new')
})

it('loses no login when many are written at once', async () => {
  const directory = await temporaryDirectory()
  const profiles = Array.from({ length: 20 }, (_, index) => `p${index}`)
  await Promise.all(profiles.map((profile) => openTokenStore(directory).write({ ...key, profile }, loginWith())))
  for (const profile of profiles) expect(await openTokenStore(directory).read({ ...key, profile }), profile).toBeDefined()
})
