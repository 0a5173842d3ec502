import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/manual-clock'
import { expect, test } from 'vitest'
import { FileResumeStates } from '../src/upload/resume-state.ts'
import { dataDirectory } from './uploading.ts'

const call = { name: 'a.bin' }
const etag = '"v1"'
const session = { address: 'https://drive.example/session', mimeType: 'a/b', etag }
const minute = 60_000
const lockId = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`
const ids = { one: lockId(1), two: lockId(2), three: lockId(3), four: lockId(4) }

/** Resume states of several processes, all of which are alive until they are killed. */
async function processes() {
  const directory = await dataDirectory()
  const clock = new ManualClock()
  const alive = new Set<string>()
  const start = (id: string, owner = 'me') => {
    alive.add(id)
    const lock = () => Promise.resolve({ id, isAlive: (other: string) => alive.has(other) })
    return new FileResumeStates({ directory, lock, owner, vendor: 'drive', clock })
  }
  return { directory, clock, start, kill: (id: string) => alive.delete(id) }
}

test('neither reads nor writes through a symbolic link', async () => {
  const { directory, clock, start } = await processes()
  const elsewhere = path.join(await dataDirectory(), 'elsewhere')
  const saved = await start(ids.one).save(call, { id: 'id-1', session, at: clock.now() })
  saved?.release()
  const [name = ''] = readdirSync(directory)
  const file = path.join(directory, name)
  renameSync(file, elsewhere)
  symlinkSync(elsewhere, file)
  expect(await start(ids.two).take(call, { id: 'id-1', etag })).toBeUndefined()

  writeFileSync(elsewhere, 'untouched')
  const held = path.join(directory, name.replace('.json', `.${ids.three}.json.new`))
  symlinkSync(elsewhere, held)
  await start(ids.three).save(call, { id: 'id-1', session, at: clock.now() })
  expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
})

test('a state belongs to one process until that releases it or dies', async () => {
  const { clock, start, kill } = await processes()
  const [one, two, three] = [start(ids.one), start(ids.two), start(ids.three)]
  const query = { id: 'id-1', etag }
  await one.save(call, { id: 'id-1', session, at: clock.now() })
  expect(await two.take(call, query)).toBeUndefined()
  kill(ids.one)
  const taken = await Promise.all([two.take(call, query), three.take(call, query)])
  expect(taken.filter((state) => state?.session?.address === session.address).length).toBe(1)
  const holder = taken.find((state) => state !== undefined)
  holder?.release()
  expect(await start(ids.four).take(call, query)).toMatchObject({ id: 'id-1', session })
  // The release of an earlier holder does not take it from the next one.
  holder?.release()
  expect(await two.take(call, query)).toBeUndefined()
})

test('a state that has a record is left to the calls that know its id, until the record has expired', async () => {
  const { clock, start } = await processes()
  const states = start(ids.one)
  const saved = await states.save(call, { id: 'id-1', session, at: clock.now() })
  saved?.release()
  expect(await states.take(call, { etag })).toBeUndefined()
  expect(await states.take(call, { id: 'id-2', etag })).toBeUndefined()
  await clock.advance(10 * minute)
  expect(await states.take(call, { etag: '"v2"' })).toBeUndefined()
  expect(await start(ids.two, 'someone else').take(call, { etag })).toBeUndefined()
  expect(await states.take(call, { etag })).toMatchObject({ id: 'id-1', session })
})

test('finds a long upload of a dead process although the clock was set back', async () => {
  const { clock, start, kill } = await processes()
  await start(ids.one).save(call, { id: 'id-1', session, at: clock.now() + 24 * 60 * minute })
  kill(ids.one)
  expect(await start(ids.two).take(call, { etag })).toMatchObject({ id: 'id-1', session })
})
