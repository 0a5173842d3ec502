import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { openStore } from '@mcp-toolkits/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openContentStore } from '../src/content/content.ts'
import { migrations } from '../src/store/migrations.ts'
import { driveWorkspace } from '../src/pages/index.ts'
import { firstViewer } from '../src/people/people.ts'
import { addItems } from '../src/seed/account.ts'
import { fillDrive } from '../src/seed/seeds.ts'
import { folderType } from './connected.ts'

it('workspace pages neither scan nor sort all files', async () => {
  const store = openStore({ file: ':memory:', migrations })
  const contents = openContentStore(undefined)
  onTestFinished(async () => {
    contents.close()
    await store.close()
  })
  const now = Date.parse('2026-09-16T12:00:00Z')
  fillDrive(store, 'empty', now)
  addItems(store, { count: 300, now })
  const [file] = store.rows({ id: (value) => typeof value === 'string' }, 'select id from files where mimeType <> :folderType limit 1', {
    folderType,
  })
  const shown: unknown[] = []
  const plans = await queryPlans(store, async (recording) => {
    const { pages, revision, latestChange } = driveWorkspace(recording, contents)
    for (const { path, show } of pages) {
      const id = path.startsWith('/drive/folders') ? firstViewer.rootId : String(file?.id)
      const view = await show({ part: () => id, query: () => undefined })
      if (view !== undefined && 'content' in view) shown.push(String(await view.content))
    }
    revision()
    latestChange()
  })
  expect([shown.length >= 4, plans.length > 10]).toEqual([true, true])
  expect(plans.filter((plan) => plan.includes('TEMP B-TREE') && plan.includes('from files'))).toEqual([])
  expect(plans.filter((plan) => /^SCAN (?:f|files)\b/.test(plan) && !plan.includes('USING INDEX'))).toEqual([])
})
