import { expect, test } from 'vitest'
import { startVendors, runLive, withOutcome } from './live-run.ts'

test('asks the question that sends thousands of requests only by name', async () => {
  await using vendors = await startVendors()
  const run = await runLive({ ...vendors.environment, LIVE_ONLY: '9' })
  expect(withOutcome(run, 'failed'), run.output).toEqual([])
  const sent = vendors.pipelines.store.requests().length
  expect(sent).toBe(3200)
})
