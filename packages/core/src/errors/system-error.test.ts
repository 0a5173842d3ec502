import { expect, it } from 'vitest'
import { InvalidInput } from './errors.ts'
import { canonicalSpelling } from './message.ts'
import { storageFailure, withStorageFailures } from './storage-failure.ts'
import { systemErrorCode } from './system-error.ts'

const diskFull = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
const database = Object.assign(new Error('database disk image is malformed'), { code: 'ERR_SQLITE_ERROR' })
const storeError = (problem?: string) => Object.assign(new Error('outbox.db is unusable.'), { code: 'ERR_STORE', problem })
const defects = [
  new TypeError('defect'),
  Object.assign(new Error('defect'), { code: 'ERR_INVALID_ARG_TYPE' }),
  Object.assign(new Error('defect'), { code: 7, syscall: 'write' }),
  { code: 'ENOSPC', syscall: 'write' },
  undefined,
]

it('distinguishes system and database errors from defects', () => {
  expect([diskFull, database, storeError()].map(systemErrorCode)).toEqual(['ENOSPC', 'ERR_SQLITE_ERROR', 'ERR_STORE'])
  expect(defects.map(systemErrorCode)).toEqual(defects.map(() => undefined))
  expect(defects.map((defect) => storageFailure(defect))).toEqual(defects.map(() => undefined))
})

it('says that the data directory cannot be used, and why', () => {
  expect(storageFailure(diskFull, '/data')?.toJSON()).toEqual({
    code: 'unavailable',
    message: 'The data directory /data cannot be used (ENOSPC). Choose another one with --data-dir.',
    retryable: false,
  })
  expect(storageFailure(database)?.message).toBe(
    'The data directory cannot be used (ERR_SQLITE_ERROR). Choose another one with --data-dir.',
  )
})

it('says that a locked database will be free in a moment', () => {
  expect(storageFailure(storeError('locked'))?.toJSON()).toEqual({
    code: 'unavailable',
    message: 'outbox.db is unusable. Try again in a moment.',
    retryable: true,
    retry_after_seconds: 1,
  })
})

it.each([
  ['newer', 'Update this server'],
  ['corrupt', 'move it away together with its -wal and -shm files'],
  ['full', 'Free some space'],
  ['read_only', 'Make it writable'],
  ['link', 'Put the file itself there'],
  ['gone', 'the file that is now at that path'],
  ['schema_missing', 'it creates the missing tables'],
  ['unusable', 'Check the permissions and the disk'],
  [undefined, 'Choose another one with --data-dir'],
])('says what a person can do about a store with the problem %s', (problem, remedy) => {
  const failure = storageFailure(storeError(problem))
  expect(failure?.message).toMatch(/^outbox\.db is unusable\. /)
  expect(failure?.message).toContain(remedy)
  expect(failure?.toJSON().retryable).toBe(false)
})

it.each(['unreachable', 'locked', 'newer', 'full', 'sealed', 'denied', 'schema_missing', 'set_aside', undefined])(
  'tells callers who share the server only that a store with the problem %s cannot be used',
  (problem) => {
    const text = storageFailure(storeError(problem))?.text.render({ ...canonicalSpelling, audience: 'others' })
    expect(text).toMatch(/^This server's store cannot be used( right now)?\. [^-_]*$/)
    expect(text).not.toContain('outbox.db')
  },
)

it("tells callers who share the server none of the server's paths", () => {
  const text = storageFailure(diskFull, '/data')?.text.render({ ...canonicalSpelling, audience: 'others' })
  expect(text).toBe("This server's store cannot be used. The server's log tells its operator why.")
})

it('makes an emulator throw typed errors for its database, and other errors unchanged', async () => {
  const other = new InvalidInput('no')
  const fetch = withStorageFailures((input: unknown, init?: unknown) =>
    input instanceof Error ? Promise.reject(input) : Promise.resolve([input, init]),
  )
  expect(await fetch('a', 'b')).toEqual(['a', 'b'])
  await expect(fetch(diskFull)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(fetch(other)).rejects.toBe(other)
})
