import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Unauthenticated } from '../errors.ts'
import { Secret } from '../credentials.ts'
import { credentialFile } from './credential-file.ts'
import type { Login } from './login.ts'
import { loginWith, place, tokensNamed } from './test/logins.ts'
import { temporaryDirectory } from './test/temporary-directory.ts'

const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8)

/** A login with its secrets spelled out, for comparison. */
const plain = (login: Login | undefined) =>
  login && {
    ...login,
    client: { ...login.client, ...(login.client.secret && { secret: login.client.secret.reveal() }) },
    tokens: login.tokens && {
      ...login.tokens,
      accessToken: login.tokens.accessToken.reveal(),
      refreshToken: login.tokens.refreshToken?.reveal(),
    },
  }

async function stored(text?: string) {
  const file = credentialFile(path.join(await temporaryDirectory(), 'new', 'data'))
  await file.write(place, loginWith())
  if (text !== undefined) await writeFile(file.path, text)
  return file
}

it('keeps what it is given, for its owner alone, and leaves nothing else behind', async () => {
  const file = await stored()
  expect(plain(file.read(place))).toEqual(plain(loginWith()))
  expect(file.read({ ...place, profile: 'work' })).toBeUndefined()
  expect(await modeOf(file.path)).toBe('600')
  const directory = path.dirname(file.path)
  for (const level of [directory, path.join(directory, '..'), path.join(directory, '..', '..')]) expect(await modeOf(level)).toBe('700')
  await file.alone(place, () => Promise.resolve())
  const beside = await readdir(path.dirname(file.path))
  expect(beside.toSorted()).toEqual(['credentials.json', 'credentials.lock', 'tracker.default.lock'])
  for (const name of beside) expect(await modeOf(path.join(path.dirname(file.path), name)), name).toBe('600')
})

it('has no login before one is written, and creates nothing for that', async () => {
  const directory = await temporaryDirectory()
  expect(credentialFile(directory).read(place)).toBeUndefined()
  expect(credentialFile(path.join(directory, 'not', 'there')).read(place)).toBeUndefined()
  expect(await readdir(directory)).toEqual([])
})

it('holds any login of any server and profile, each for itself', async () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,12}$/)
  const word = fc.string({ minLength: 1, maxLength: 20 })
  const entry = fc.record({ server: name, profile: name, account: word, token: word, scopes: fc.array(word, { maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(entry, { maxLength: 5, selector: ({ server, profile }) => `${server}/${profile}` }),
      async (entries) => {
        const file = credentialFile(await temporaryDirectory())
        const logins = entries.map(({ server, profile, account, token, scopes }) => ({
          at: { server, profile },
          login: loginWith({ identity: { account }, scopes, tokens: { accessToken: new Secret(token) } }),
        }))
        for (const { at, login } of logins) await file.write(at, login)
        for (const { at, login } of logins) expect(plain(file.read(at))).toEqual(plain(login))
        for (const { at } of logins) await file.write(at, undefined)
        for (const { at } of logins) expect(file.read(at)).toBeUndefined()
      },
    ),
    { numRuns: 25 },
  )
})

it('remembers a login that has ended, and secrets of clients', async () => {
  const file = await stored()
  const { tokens, ...ended } = loginWith({ client: { id: 'web', secret: new Secret('hush') } })
  expect(tokens).toBeDefined()
  await file.write(place, ended)
  expect(plain(file.read(place))).toEqual(plain(ended))
})

it('keeps what it does not know', async () => {
  const file = await stored()
  const content: unknown = JSON.parse(await readFile(file.path, 'utf8'))
  const later = { later: { kept: 1 } }
  await writeFile(file.path, JSON.stringify(Object.assign({}, content, later)))
  await file.write({ ...place, profile: 'work' }, loginWith())
  expect(JSON.parse(await readFile(file.path, 'utf8'))).toMatchObject({ version: 1, ...later })
  expect(file.read(place)).toBeDefined()
})

it.each([0o644, 0o640, 0o604])('closes a file and a directory that others can read (%o)', async (mode) => {
  const file = await stored()
  await chmod(file.path, mode)
  await chmod(path.dirname(file.path), 0o755)
  expect(file.read(place)).toBeDefined()
  expect(await modeOf(file.path)).toBe('600')
  expect(await modeOf(path.dirname(file.path))).toBe('700')
})

it.each([0o602, 0o660, 0o666])('uses no file that others can have written (%o)', async (mode) => {
  const file = await stored()
  await chmod(file.path, mode)
  expect(() => file.read(place)).toThrow(Unauthenticated)
  expect(() => file.read(place)).toThrow('can be changed by other users')
  await expect(file.write(place, loginWith())).rejects.toThrow('can be changed by other users')
  await expect(file.checkWritable(place)).rejects.toThrow('can be changed by other users')
})

it('can be asked beforehand whether a login could be stored, and keeps nothing of that', async () => {
  const empty = credentialFile(await temporaryDirectory())
  await empty.checkWritable(place)
  expect(await readdir(path.dirname(empty.path))).not.toContain('credentials.json')
  const file = await stored()
  const before = await readdir(path.dirname(file.path))
  await file.checkWritable(place)
  expect(await readdir(path.dirname(file.path))).toEqual([...before, 'tracker.default.lock'].toSorted())
  expect(plain(file.read(place))).toEqual(plain(loginWith()))
})

it.runIf(process.platform !== 'win32')('stays as it was when a disk takes only a part of the new content', async () => {
  const directory = await temporaryDirectory()
  const file = credentialFile(directory)
  await file.write(place, loginWith())
  const before = await readFile(file.path, 'utf8')
  const writer = `
    import { credentialFile } from ${JSON.stringify(path.join(import.meta.dirname, 'credential-file.ts'))}
    import { loginWith, place } from ${JSON.stringify(path.join(import.meta.dirname, 'test', 'logins.ts'))}
    const file = credentialFile(process.argv[1])
    const long = loginWith({ identity: { account: 'a'.repeat(4000) } })
    for (const attempt of [() => file.write(place, long), () => file.checkWritable({ ...place, profile: 'work' }), () => file.read(place)]) {
      console.log(await Promise.try(attempt).then(() => 'done', (error) => error.code))
    }`
  // One or two blocks of 512 or 1024 bytes, by the shell.
  const limited = ['-c', 'ulimit -f 2; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', writer, directory]
  const child = spawn('/bin/sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(said.split('\n').slice(0, 3)).toEqual(['EFBIG', 'done', 'done'])
  expect(await readFile(file.path, 'utf8')).toBe(before)
  expect((await readdir(path.dirname(file.path))).filter((name) => name.endsWith('.new'))).toEqual([])
})

it.each(['apiUrl', 'authorizationUrl', 'tokenUrl', 'revocationUrl'] as const)(
  'holds no login whose %s would show its tokens to others',
  async (name) => {
    for (const address of ['http://192.0.2.1/v1', 'not a url', 'https://ada:canary@acme.example/', 'ftp://127.0.0.1/']) {
      const file = await stored()
      await file.write(place, loginWith({ [name]: address }))
      expect(() => file.read(place), address).toThrow('holds a login that this version cannot read')
    }
    const file = await stored()
    await file.write(place, loginWith({ [name]: 'http://127.0.0.1:41000/v1' }))
    expect(file.read(place)).toBeDefined()
  },
)

it('uses no file in a directory that others can write to, and follows no link', async () => {
  const file = await stored()
  await chmod(path.dirname(file.path), 0o777)
  expect(() => file.read(place)).toThrow(`${path.dirname(file.path)} can be changed by other users`)
  const empty = credentialFile(await temporaryDirectory())
  await mkdir(path.dirname(empty.path), { mode: 0o755 })
  await empty.write(place, loginWith())
  expect(await modeOf(path.dirname(empty.path))).toBe('700')
  const linked = credentialFile(await temporaryDirectory())
  await mkdir(path.dirname(linked.path), { mode: 0o700 })
  await symlink(file.path, linked.path)
  expect(() => linked.read(place)).toThrow('cannot be opened (ELOOP)')
  const directory = credentialFile(await temporaryDirectory())
  await mkdir(directory.path, { recursive: true, mode: 0o700 })
  expect(() => directory.read(place)).toThrow('is not a file of logins')
})

it.runIf(process.getuid?.() === 0)('uses no file of another user', async () => {
  const file = await stored()
  await chown(file.path, 1234, 1234)
  expect(() => file.read(place)).toThrow('belongs to another user')
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
])('says that a file is damaged without quoting it, and mends it with the next login: %s', async (text) => {
  const file = await stored(text)
  expect(() => file.read(place)).toThrow(/is damaged|cannot read/)
  expect(() => file.read(place)).not.toThrow(/canary/)
  await file.write(place, loginWith())
  expect(file.read(place)).toBeDefined()
})

it('leaves a file of a newer version alone', async () => {
  const file = await stored('{"version":2}')
  expect(() => file.read(place)).toThrow('newer version')
  await expect(file.write(place, loginWith())).rejects.toThrow('newer version')
  await expect(file.checkWritable(place)).rejects.toThrow('newer version')
  expect(await readFile(file.path, 'utf8')).toBe('{"version":2}')
})

it('replaces the file as a whole, and clears away what a writer left that died', async () => {
  const file = await stored()
  const before = path.join(path.dirname(file.path), 'before')
  await link(file.path, before)
  await writeFile(path.join(path.dirname(file.path), 'abc.new'), 'half')
  await file.write(place, loginWith({ tokens: tokensNamed('second') }))
  expect(await readFile(before, 'utf8')).toContain('access-first')
  expect(await readFile(file.path, 'utf8')).toContain('access-second')
  expect(await readdir(path.dirname(file.path))).not.toContain('abc.new')
})

it('loses no login when many are written at once', async () => {
  const directory = await temporaryDirectory()
  const profiles = Array.from({ length: 20 }, (_, index) => `p${index}`)
  await Promise.all(profiles.map((profile) => credentialFile(directory).write({ ...place, profile }, loginWith())))
  for (const profile of profiles) expect(credentialFile(directory).read({ ...place, profile }), profile).toBeDefined()
})
