import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { openStore } from '@mcp-toolkits/store'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../src/entities/index.ts'
import { linearWorkspace } from '../src/pages/index.ts'
import { addIssues } from '../src/seed/people.ts'
import { seedEmpty } from '../src/seed/empty.ts'
import { seedEdgeCases } from '../src/seed/edge-cases/edge-cases.ts'

const now = Date.parse('2026-09-16T12:00:00Z')

it('the pages of the workspace take no longer when there is more', async () => {
  const store = openStore({ file: ':memory:', migrations })
  onTestFinished(() => store.close())
  seedEmpty(store, now)
  seedEdgeCases(store, now)
  addIssues(store, { count: 200, now })
  const [project] = store.rows({ slugId: (value) => typeof value === 'string' }, 'select slugId from projects limit 1')
  const [initiative] = store.rows({ slugId: (value) => typeof value === 'string' }, 'select slugId from initiatives limit 1')
  const parts: Readonly<Record<string, string>> = { key: 'ENG', identifier: 'ENG-1', name: 'robin.vance' }
  const plans = await queryPlans(store, async (recording) => {
    const { pages, revision, latestChange } = linearWorkspace(recording)
    for (const { path, show } of pages) {
      if (path.startsWith('/project-update')) continue
      const slug = path.startsWith('/initiative') ? initiative?.slugId : project?.slugId
      const view = await show({ part: (name) => parts[name] ?? String(slug), query: () => undefined })
      expect(view, path).toHaveProperty('content')
      // Components run when they are rendered.
      if (view !== undefined && 'content' in view) expect(String(await view.content)).not.toBe('')
    }
    revision()
    latestChange()
  })
  expect(plans.length).toBeGreaterThan(30)
  expect(plans.filter((plan) => /^SCAN (?:i|issues|m|mutations|comments|attachments|r|relations)\b/.test(plan))).toEqual([
    expect.stringMatching(/^SCAN m: select m\.id.* order by m\.id desc limit/),
  ])
  // Issues are sorted by indexes; what is sorted otherwise belongs to one issue or one team.
  expect(plans.filter((plan) => plan.startsWith('USE TEMP B-TREE FOR ORDER BY') && plan.includes('order by i.updatedAt'))).toEqual([])
  expect(plans.filter((plan) => plan.includes('count(*)') && /^SEARCH (?:i|issues) /.test(plan) && !plan.includes('COVERING'))).toEqual([])
})
