import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { openStore, text } from '@mcp-toolkits/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../src/entities.ts'
import { slugIdFor } from '../src/ids.ts'
import { linearWorkspace } from '../src/pages/workspace.tsx'
import { addIssues } from '../src/seed/additions.ts'
import { fillWorkspace } from '../src/seed/seeds.ts'

const now = Date.parse('2026-09-16T12:00:00Z')

it('workspace pages scan no large table', async () => {
  const store = openStore({ file: ':memory:', migrations })
  onTestFinished(() => store.close())
  fillWorkspace(store, 'edge-cases', now)
  addIssues(store, { count: 200, now })
  const [project] = store.rows({ slugId: text }, 'select slugId from projects limit 1')
  const [initiative] = store.rows({ slugId: text }, 'select slugId from initiatives limit 1')
  const [update] = store.rows({ id: text }, 'select id from projectUpdates limit 1')
  const slugs: readonly (readonly [prefix: string, slug: string | undefined])[] = [
    ['/initiative', initiative?.slugId],
    ['/project-update', slugIdFor(update?.id ?? '')],
  ]
  const redirects: unknown[] = []
  const parts: Readonly<Record<string, string>> = { key: 'ENG', identifier: 'ENG-1', name: 'robin.vance' }
  const plans = await queryPlans(store, async (recording) => {
    const { pages, revision, latestChange } = linearWorkspace(recording)
    // Upload pages need an attached file.
    for (const { path, show } of pages.filter((page) => !page.path.startsWith('/uploads/'))) {
      const slug = slugs.find(([prefix]) => path.startsWith(prefix))?.[1] ?? project?.slugId
      const view = await show({ part: (name) => parts[name] ?? String(slug), query: () => undefined })
      if (view instanceof Response) redirects.push([path, view.status])
      else expect(view, path).toHaveProperty('content')
      // Components run when they are rendered.
      if (view !== undefined && 'content' in view) expect(String(await view.content)).not.toBe('')
    }
    revision()
    latestChange()
  })
  expect(redirects).toEqual([['/project-update/:slug', 302]])
  expect(plans.length).toBeGreaterThan(30)
  expect(plans.filter((plan) => /^SCAN (?:i|issues|m|mutations|projectUpdates|comments|attachments|r|relations)\b/.test(plan))).toEqual([
    // An update's slug is a hash of its id, so it is searched for among the newest updates.
    expect.stringMatching(/^SCAN projectUpdates USING INDEX .* limit 1000$/),
    expect.stringMatching(/^SCAN m: select m\.id.* order by m\.id desc limit/),
  ])
  // Indexes sort the issues; only the parts of one issue or one team are sorted without an index.
  expect(plans.filter((plan) => plan.startsWith('USE TEMP B-TREE FOR ORDER BY') && plan.includes('order by i.updatedAt'))).toEqual([])
  expect(plans.filter((plan) => plan.includes('count') && /^(?:SEARCH|SCAN) (?:i|issues)\b/.test(plan))).toEqual([])
})
