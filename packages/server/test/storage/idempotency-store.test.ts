import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { IdempotencyStore, OperationRequest } from '@mcp-toolkits/core/tool'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../../sqlite/src/errors.ts'
import { idempotencyContract, type StoreMachine } from './idempotency-store-contract.ts'
import { openMachine } from './machine.ts'
import { spoilPages, temporaryDirectory } from '../../../sqlite/test/temporary.ts'

const day = 24 * 60 * 60_000

const request: OperationRequest = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
const keyed = { ...request, key: 'key' }

async function begin(store: IdempotencyStore, asked: OperationRequest): Promise<string> {
  const record = await store.claim(asked, 'identity')
  return record.kind === 'begun' ? record.id : ''
}

/** The problem of a store error; anything else fails the test. */
async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StoreError)
  return error instanceof StoreError ? error.problem : ''
}

/** Lets background work go on until the condition holds. */
async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await isMet()); turn += 1) {
    expect(turn).toBeLessThan(20_000)
    await setImmediate()
  }
}

describe('the SQLite store', () => {
  idempotencyContract(openMachine)
})

describe('the SQLite store where boots have no names', () => {
  it.each([-day, 0, day])('lets an operation be continued after a jump of the date by %i ms', async (jump) => {
    const machine = await openMachine('')
    await begin((await machine.start()).store, keyed)
    await begin((await machine.start()).store, request)
    machine.clock.jump(jump)
    await machine.clock.advance(9 * 60_000)
    await machine.killAll()
    const { store } = await machine.start()
    expect([await store.claim(request, 'identity'), await store.claim(keyed, 'identity')]).toMatchObject([
      { isRepeat: true },
      { isRepeat: true },
    ])
  })

  it.each([
    [9 * 60_000, true],
    [2 * day, false],
  ])('knows the age of an operation after a restart of the machine that took %i ms', async (ms, isRepeat) => {
    const machine = await openMachine('')
    await begin((await machine.start()).store, request)
    await machine.reboot(ms)
    const { store } = await machine.start()
    expect(await store.claim(request, 'identity')).toMatchObject({ isRepeat })
  })
})

describe('the files of the SQLite store', () => {
  it('can be read by their owner only', async () => {
    const { file, start } = await openMachine()
    const { store } = await start()
    await begin(store, keyed)
    const directory = dirname(file)
    const modes = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .map((name) => `${name.endsWith('.lock') ? 'a lock' : name} ${(statSync(join(directory, name)).mode & 0o777).toString(8)}`)
      .toSorted()
    expect(modes).toEqual(['a lock 600', 'calls.db 600', 'calls.db-shm 600', 'calls.db-wal 600', 'locks 700'])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it('are never links, and nothing is written to the target of a link', async () => {
    for (const name of ['calls.db', 'calls.db-wal', 'locks']) {
      const { file, start } = await openMachine()
      await (await start()).kill()
      const link = join(dirname(file), name)
      const target = temporaryDirectory()
      rmSync(link, { recursive: true, force: true })
      symlinkSync(name === 'locks' ? target : join(target, 'file'), link)
      expect(await problemOf(start())).toBe('link')
      expect(readdirSync(target)).toEqual([])
    }
  })

  it('are set aside when they are damaged, and one caller gets an error that says so', async () => {
    const { file, start } = await openMachine()
    await (await start()).kill()
    const damaged = 'This is not a database. '.repeat(1_000)
    writeFileSync(file, damaged)
    expect(await problemOf(start())).toBe('set_aside')
    const aside = readdirSync(dirname(file)).filter((name) => /^calls\.db\.damaged-\w+$/.test(name))
    expect(aside.map((name) => readFileSync(join(dirname(file), name), 'utf8'))).toEqual([damaged])
    const { store } = await start()
    await begin(store, request)
  })

  it('are set aside when damage shows later, whichever process meets it, and neighbours go on with the new ones', async () => {
    const { file, start, clock } = await openMachine()
    const [first, neighbour] = [(await start()).store, (await start()).store]
    const [id, others] = [await begin(first, keyed), await begin(neighbour, { ...request, key: 'other' })]
    spoilPages(file)
    await first.complete(id, 'result')
    expect(await problemOf(first.find(keyed))).toBe('set_aside')
    const aside = readdirSync(dirname(file)).filter((name) => /^calls\.db\.damaged-\w+$/.test(name))
    expect(aside).toHaveLength(1)
    expect(await first.claim(keyed, 'new')).toMatchObject({ kind: 'begun', isRepeat: false })
    expect(await problemOf(neighbour.claim(request, 'new'))).toBe('set_aside')
    await neighbour.complete(others, 'result')
    expect(await neighbour.claim(keyed, 'new')).toEqual({ kind: 'running' })
    await clock.advance(60_000)
    expect(await first.find(keyed)).toEqual({ kind: 'running' })
  })

  it('are refused when they are of a newer release', async () => {
    const newer = await openMachine()
    await (await newer.start()).kill()
    const database = new DatabaseSync(newer.file)
    database.exec('pragma user_version = 99')
    database.close()
    expect(await problemOf(newer.start())).toBe('newer')
  })

  it('are refused if nothing can be created', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'file'), '')
    const { openIdempotencyStore } = await import('../../src/storage/idempotency-store.ts')
    const { clock } = await openMachine()
    expect(await problemOf(openIdempotencyStore({ file: join(directory, 'file', 'calls.db'), clock }))).toBe('unusable')
  })

  it('take no operation when they were deleted meanwhile', async () => {
    const { file, start } = await openMachine()
    const { store } = await start()
    await begin(store, keyed)
    rmSync(dirname(file), { recursive: true })
    expect(await problemOf(begin(store, request))).toBe('gone')
    expect(await store.find(keyed)).toEqual({ kind: 'running' })
  })

  it('can be read but not written while another process has them locked', async () => {
    const { file, start, clock } = await openMachine()
    const { store } = await start()
    const id = await begin(store, keyed)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    const before = clock.monotonic()
    expect(await problemOf(begin(store, request))).toBe('locked')
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(5_000)
    expect(await problemOf(store.complete(id, 'result'))).toBe('locked')
    expect(await store.find(keyed)).toBeUndefined()
    other.close()
    await store.complete(id, 'result')
    expect(await store.find(keyed)).toEqual({ kind: 'done', result: 'result' })
    expect(await store.claim(request, 'identity')).toMatchObject({ isRepeat: false })
  })

  it('get the ends that could not be written with the next operation', async () => {
    const { file, start } = await openMachine()
    const { store } = await start()
    const failed = { ...request, argumentsHash: 'failed' }
    const ended = { abandon: await begin(store, failed), complete: await begin(store, request), key: await begin(store, keyed) }
    const lock = () => {
      const other = new DatabaseSync(file)
      other.exec('begin immediate')
      return other
    }
    const other = lock()
    expect(await problemOf(store.abandon(ended.abandon))).toBe('locked')
    expect(await problemOf(store.complete(ended.complete))).toBe('locked')
    expect(await problemOf(store.complete(ended.key, 'result'))).toBe('locked')
    expect(await problemOf(begin(store, failed))).toBe('locked')
    other.close()
    expect(await store.claim(request, 'next')).toMatchObject({ identity: 'next', isRepeat: false })
    expect(await store.find(keyed)).toEqual({ kind: 'done', result: 'result' })
    expect(await store.claim(failed, 'next')).toMatchObject({ identity: 'identity', isRepeat: true })
  })

  it('get the ends that could not be written when the store closes', async () => {
    const { file, start } = await openMachine()
    const [first, second] = [await start(), await start()]
    const id = await begin(first.store, request)
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    expect(await problemOf(first.store.complete(id))).toBe('locked')
    other.close()
    await first.kill()
    expect(await second.store.claim(request, 'identity')).toMatchObject({ isRepeat: false })
  })

  it('get one commit for each begin and each end, and none for what is only read', async () => {
    const { file, start } = await openMachine()
    const { store } = await start()
    /** Frames that end a transaction: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
    const commits = () => {
      const log = readFileSync(`${file}-wal`)
      const frameSize = 24 + log.readUInt32BE(8)
      const ends = Array.from({ length: Math.floor((log.length - 32) / frameSize) }, (_, frame) =>
        log.readUInt32BE(32 + frame * frameSize + 4),
      )
      return ends.filter((pages) => pages > 0).length
    }
    const counts: number[] = []
    const count = async (work: () => Promise<unknown>) => {
      const before = commits()
      await work()
      counts.push(commits() - before)
    }
    let [first, second] = ['', '']
    await count(async () => (first = await begin(store, request)))
    await count(async () => (second = await begin(store, keyed)))
    await count(() => store.find(keyed))
    await count(() => store.claim(keyed, 'identity'))
    await count(() => store.complete(first))
    await count(() => store.complete(second, 'result'))
    await count(() => store.find(keyed))
    await count(() => store.claim(keyed, 'identity'))
    expect(counts).toEqual([1, 1, 0, 0, 1, 1, 0, 0])
  })
})

describe('a result that is older than 24 hours', () => {
  const secret = 'c0ffee-secret-result'

  const holders = ({ file }: { readonly file: string }) =>
    [file, `${file}-wal`].filter((path) => existsSync(path) && readFileSync(path).includes(secret)).map((path) => path.slice(file.length))

  /** A machine whose only process has stored results, and was killed unless it goes on. */
  async function withResults(count: number, { goesOn = false } = {}): Promise<StoreMachine & { readonly file: string }> {
    const machine = await openMachine()
    const { store, kill } = await machine.start()
    const complete = async (key: string) => store.complete(await begin(store, { ...request, key }), `${secret} ${key}`)
    await Promise.all(Array.from({ length: count }, (_, number) => complete(`key ${number}`)))
    expect(holders(machine)).not.toEqual([])
    if (!goesOn) await kill()
    return machine
  }

  it('is in no file after a while, also when nothing is called', async () => {
    const machine = await withResults(1, { goesOn: true })
    await machine.clock.advance(day)
    await until(async () => {
      await machine.clock.advance(60_000)
      return holders(machine).length === 0
    })
  })

  it.each([1, 250])('is in no file after the next operation of any account, also when there are %i', async (count) => {
    const machine = await withResults(count)
    await machine.clock.advance(day)
    expect(holders(machine)).not.toEqual([])
    const { store } = await machine.start()
    await begin(store, { ...request, account: 'ben' })
    await until(() => holders(machine).length === 0)
    await begin(store, keyed)
  })

  it('is deleted from the log once no other process reads', async () => {
    const machine = await withResults(1)
    const reader = new DatabaseSync(machine.file)
    onTestFinished(() => {
      reader.close()
    })
    reader.exec('begin; select count(*) from operations')
    await machine.clock.advance(day)
    const { store } = await machine.start()
    await begin(store, request)
    expect(holders(machine)).not.toEqual([])
    reader.exec('commit')
    await begin(store, request)
    await until(() => holders(machine).length === 0)
  })

  it('is deleted in the background along with others, and other processes can write in between', async () => {
    const machine = await withResults(2_000)
    const other = new DatabaseSync(machine.file, { timeout: 0 })
    onTestFinished(() => {
      other.close()
    })
    const expired = () => Number(other.prepare('select count(*) as count from operations where result is not null').get()?.['count'])
    await machine.clock.advance(day)
    const { store } = await machine.start()
    await begin(store, request)
    const left = new Set([expired()])
    expect([...left][0]).toBeGreaterThan(1_500)
    await until(() => {
      other.exec('begin immediate; update operations set tool = tool where id = 1; commit')
      return left.add(expired()).has(0)
    })
    expect(left.size).toBeGreaterThan(20)
  })

  it('is left to the next begin when the store closes meanwhile', async () => {
    const machine = await withResults(200)
    await machine.clock.advance(day)
    const { store, kill } = await machine.start()
    await begin(store, request)
    await kill()
    expect(holders(machine)).not.toEqual([])
    await begin((await machine.start()).store, request)
    await until(() => holders(machine).length === 0)
  })
})
