import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { openStore } from '../../../sqlite/src/index.ts'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../src/events.ts'
import { pipelinesWorkspace } from '../src/pages.tsx'

it('workspace pages neither sort events nor scan them beyond the newest', async () => {
  const store = openStore({ file: ':memory:', migrations })
  onTestFinished(() => store.close())
  store.run(
    "insert into events (request_id, type, user_id, received_at, outcome, notes, body, bytes) values (1, 'identify', 'u', '', 'accepted', '', '{}', 2)",
  )
  const plans = await queryPlans(store, async (recording) => {
    const { pages, revision, latestChange } = pipelinesWorkspace(recording)
    for (const { path, show } of pages) {
      const view = await show({ part: () => '1', query: (name) => (name === 'id' ? 'u' : undefined) })
      expect(view, path).toHaveProperty('content')
      if (view !== undefined && 'content' in view) expect(String(await view.content)).toContain('event-1')
    }
    revision()
    latestChange()
  })
  expect(plans.length).toBeGreaterThan(6)
  expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([])
  const scans = plans.filter((plan) => plan.startsWith('SCAN'))
  expect(scans).toEqual([expect.stringMatching(/order by id desc limit :count$/)])
})
