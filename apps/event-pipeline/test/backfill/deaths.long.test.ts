import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { shareOf, startProgram } from '@mcp-toolkits/testing'
import { startCountingVendor } from '@mcp-toolkits/testing/counting-vendor'
import { expect, onTestFinished, test } from 'vitest'
import { longRows, mapping } from './rows.ts'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')
/** Enough rows for five requests. */
const rows = 900
const file = longRows(rows)

/** A file, a vendor, and processes that share a data directory. */
async function installation(onRequest: (request: number) => Promise<void> | void) {
  const vendor = await startCountingVendor({ onRequest })
  const directory = await mkdtemp(path.join(tmpdir(), 'backfill-'))
  onTestFinished(async () => {
    await vendor[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })
  const input = path.join(directory, 'rows.csv')
  await writeFile(input, file.text)
  const environment = { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_API_URL: vendor.url, PATH: process.env['PATH'] }
  const start = (...args: readonly string[]) => startProgram([main, '--data-dir', path.join(directory, 'data'), ...args], environment)
  const args = JSON.stringify({ call: file.call, mapping: file.mapping })
  return { vendor, directory, start, send: () => start('call', 'SendEventsFromFile', args, '--toolsets', 'backfill', '--input', input) }
}

test('sends a file on this machine and waits until it is done', async () => {
  const { vendor, send } = await installation(() => undefined)
  const { code, output, errors } = await send().result
  expect([code, errors]).toEqual([0, expect.not.stringContaining('error')])
  expect(JSON.parse(output)).toMatchObject({ outcome: 'delivered', rows: { accepted: rows, waiting: 0 } })
  expect([vendor.ids.size, vendor.calls()]).toEqual([rows, rows])
})

test.for(shareOf([1, 4], 2, 1))('a server without a client continues after the process was killed during request %i', async (number) => {
  const dying = Promise.withResolvers<undefined>()
  const { vendor, start, send } = await installation(async (request) => {
    if (request !== number) return
    dying.resolve(undefined)
    await setTimeout(300)
  })
  const first = send()
  await dying.promise
  first.kill('SIGKILL')
  await first.result
  const next = start()
  for (let looks = 0; vendor.ids.size < rows && looks < 600; looks += 1) await setTimeout(50)
  // A request whose response was lost is sent again with the same ids.
  expect(vendor.ids.size).toBe(rows)
  next.endInput()
  expect((await next.result).code).toBe(0)
  const again = await send().result
  expect(JSON.parse(again.output)).toMatchObject({ outcome: 'delivered', rows: { accepted: rows } })
  expect(vendor.ids.size).toBe(rows)
})

test('sends the largest text in two-byte letters, of which the heap of the thread could not hold several copies', async () => {
  const { vendor, start, directory } = await installation(() => undefined)
  const lines = Array.from({ length: 300 }, (_, index) => `u-${index},Paid,2026-01-31T12:00:00Z,${'ж'.repeat(15_000)}`)
  const text = ['user,what,when,amount', ...lines].join('\n')
  const program = start('call', 'SendEventsFromFile', '--toolsets', 'backfill')
  program.writeLine(JSON.stringify({ text, call: 'track', mapping: { ...mapping, 'properties.total': 'amount' } }))
  program.endInput()
  const { output, errors } = await program.result
  expect(errors).not.toContain('"level":"error"')
  expect(JSON.parse(output)).toMatchObject({ outcome: 'delivered', rows: { accepted: 300, waiting: 0 } })
  expect(vendor.ids.size).toBe(300)
  using database = new DatabaseSync(path.join(directory, 'data', 'event-pipeline', 'backfills.db'), { readOnly: true })
  expect(
    database.prepare('select length(facts) < 10000 as isSmall, (select count(*) from backfill_parts) as parts from backfills').all(),
  ).toEqual([{ isSmall: 1, parts: 0 }])
})
