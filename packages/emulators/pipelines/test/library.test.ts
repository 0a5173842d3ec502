import { expect, it, onTestFinished } from 'vitest'
import { pipelinesEmulator } from '../src/library.ts'

it('has snapshots and a clock', async () => {
  const pipelines = pipelinesEmulator({ seed: 'empty', apiKey: 'k', at: '2026-03-02T09:00:00Z' })
  onTestFinished(pipelines.close)
  const track = (event: string) =>
    pipelines.fetch('https://cdp.customer.io/v1/track', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('k:')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'ada', event }),
    })
  await track('One')
  pipelines.snapshot('one')
  pipelines.clock.advance(1000)
  await track('Two')
  expect(pipelines.diff('one')).toEqual({
    events: { added: [expect.objectContaining({ event: 'Two', received_at: '2026-03-02T09:00:01.000Z' })], changed: [], removed: [] },
  })
  pipelines.restore('one')
  expect([pipelines.store.events().map(({ event }) => event), pipelines.requests().length]).toEqual([['One'], 2])
  await track('Three')
  expect(pipelines.store.events().map(({ event }) => event)).toEqual(['One', 'Three'])
})
