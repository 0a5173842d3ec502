import { describe, expect, test } from 'vitest'
import { unwritableDirectory } from '../command.ts'
import { openBench, sampleCall, vendors } from './bench.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { startCommand, startSocketVendor } from './sockets.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'

describe.for(vendors)('$server.name on a disk that cannot be written', (vendor) => {
  test.for(shareOf(vendor.tools, 4, 0))('$name works without it, or says what is wrong', async ({ name }) => {
    await using bench = await openBench(vendor, { dataDirectory: unwritableDirectory })
    const { error } = await bench.call(name)
    if (!error) return
    expect(error).toMatchObject({ code: 'unavailable', retryable: false })
    expect(error.message).toContain(unwritableDirectory)
  })
})

test('a full disk loses no event that was accepted: a call says so, and the server goes on', { timeout: 120_000 }, async () => {
  await using upstream = await startSocketVendor(pipelines)
  await using command = await startCommand(pipelines, upstream, { maxFileBlocks: 1_024 })
  const event = (number: number) => ({
    mode: 'execute',
    request_body: JSON.stringify({ userId: `u${number}`, event: 'Paid', properties: { note: 'x'.repeat(30_000) } }),
  })
  // As long as the vendor fails, every event must stay on disk.
  upstream.fail('HTTP 500', Infinity)
  const answers: string[] = []
  for (let number = 0; number < 60; number += 1) answers.push((await command.call('TrackUserEvent', event(number))).text)
  const queued = answers.filter((text) => text.includes('queued')).length
  const refused = answers.filter((text) => text.includes('unavailable') && text.includes('outbox.db')).length
  expect(queued).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
  expect(queued + refused).toBe(answers.length)
  expect(await command.call('TrackUserEvent', { mode: 'get_request_schema' })).toMatchObject({ isError: false })
})

test.for(vendors)('the command $server.name answers although its disk is full', async (vendor) => {
  await using upstream = await startSocketVendor(vendor)
  await using command = await startCommand(vendor, upstream, { maxFileBlocks: 0 })
  const { text, isError } = await command.call(...sampleCall(vendor, 0))
  if (isError) expect(text).toContain('unavailable')
})
