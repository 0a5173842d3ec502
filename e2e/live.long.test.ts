import { expect, test } from 'vitest'
import { emulatedVendors, runLive, withOutcome } from './live-run.ts'

test('the question that sends thousands of requests is asked by name, and no emulator limits them', async () => {
  await using vendors = await emulatedVendors()
  const run = await runLive({ ...vendors.environment, LIVE_ONLY: '9' })
  expect(withOutcome(run, 'failed'), run.output).toEqual([])
  const sent = vendors.pipelines.store.requests().length
  expect(sent).toBe(3200)
})
