import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '@mcp-toolkits/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { notesEmulator, post } from './notes.ts'

const url = 'https://notes.example/notes'

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'notes-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true })
  })
  return join(directory, 'notes.db')
}

/** A clock that advances only in `sleep`; `onSleep` gets the total time slept. */
function clockWith(onSleep: (elapsed: number) => void = () => undefined) {
  let elapsed = 0
  return {
    monotonic: () => elapsed,
    async sleep(ms: number) {
      elapsed += ms
      await new Promise((resolve) => setImmediate(resolve))
      onSleep(elapsed)
    },
  }
}

/** Locks the database from another connection, so that no other can write. */
function lock(file: string): { readonly release: () => void } {
  const other = new DatabaseSync(file)
  other.exec('begin exclusive')
  return {
    release: () => {
      if (other.isOpen) other.close()
    },
  }
}

it('lets readers pass while another process writes, and writers wait for it by the clock', async () => {
  const file = newFile()
  let release = () => undefined
  const emulator = notesEmulator({
    file,
    clock: clockWith((elapsed) => {
      if (elapsed > 3_000) release()
    }),
  })
  const { release: unlock } = lock(file)
  release = () => {
    unlock()
  }
  const written = emulator.fetch(url, post('late'))
  expect(await (await emulator.fetch(url)).json()).toEqual([{ id: 1, body: 'welcome' }])
  expect((await written).status).toBe(201)
  expect(emulator.store.notes().map(({ body }) => body)).toEqual(['welcome', 'late'])
  await emulator.close()
})

it('gives up after five seconds, and tells other programs when to come back', async () => {
  const file = newFile()
  const clock = clockWith()
  const emulator = notesEmulator({ file, clock })
  const { url: address } = await emulator.listen()
  const { release } = lock(file)
  await expect(emulator.fetch(url, post('never'))).rejects.toThrow(StoreError)
  expect(clock.monotonic()).toBeGreaterThanOrEqual(5_000)
  expect(clock.monotonic()).toBeLessThan(6_000)
  const refused = await fetch(`${address}/notes`, post('never'))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.text()).toContain(`Another process has kept ${file} locked for 5 seconds.`)
  release()
  expect(emulator.store.notes()).toHaveLength(1)
  await emulator.close()
})

it('starts while another process has the new file locked, and is ready when that ends', async () => {
  const file = newFile()
  const holder = new DatabaseSync(file)
  holder.exec('begin exclusive')
  const emulator = notesEmulator({
    file,
    clock: clockWith((elapsed) => {
      if (elapsed > 1_000 && holder.isOpen) holder.close()
    }),
  })
  expect(await (await emulator.fetch(url)).json()).toEqual([{ id: 1, body: 'welcome' }])
  await emulator.close()
})

it("gives concurrent requests one transaction, and each request's id its own note", async () => {
  const emulator = notesEmulator({ file: newFile() })
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => (await emulator.fetch(url, post(`note ${index}`))).json()),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(50)
  const logged = emulator.store.requests().filter(({ method }) => method === 'POST')
  expect(logged.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201))
  await emulator.close()
})

it('fills a database in memory once a minute, and shares only that between emulators', async () => {
  let now = Date.UTC(2026, 0, 31)
  const open = (welcome: string) => notesEmulator({ now: () => now, welcome })
  const first = open('shared')
  await first.fetch(url, post('own'))
  const [second, other] = [open('shared'), open('another seed')]
  now += 60_000
  const later = open('shared')
  const bodies = [first, second, other, later].map(({ store }) => store.notes().map(({ body }) => body))
  expect(bodies).toEqual([['shared', 'own'], ['shared'], ['another seed'], ['shared']])
  await second.fetch(url, post('later'))
  second.reset()
  expect(second.store.notes()).toEqual([{ id: 1, body: 'shared' }])
  for (const emulator of [first, second, other, later]) await emulator.close()
})
