import { isObject } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { workspace, type Workspace } from '../workspace.ts'

const settings = { toolsets: ['triage'], emulated: { seed: 'company' } } as const

async function duplicatesOf(server: Workspace, title: string): Promise<readonly unknown[]> {
  const { issues } = await server.call('IssueTracker.FindDuplicates', { title })
  return Array.isArray(issues) ? issues.filter(isObject).map(({ identifier }) => identifier) : []
}

test.for([
  ['Verifying packs crashes the app', 'ENG-19'],
  ['Batteries drained by pack updates', 'ENG-7'],
  ['Battery dies', 'ENG-7'],
  ['Login mails are late', 'ENG-34'],
  ['Two guides editing one route offline lose it', 'ENG-9'],
  ['Old prices on the upgrade screens', 'ENG-16'],
  ['Trials end with no warnings', 'ENG-17'],
  ['Privacy answer for the stores', 'ENG-21'],
  ['Backups take hours', 'OPS-14'],
  ['Elevations of the tiles are old', 'ENG-31'],
  ['Verification of packs crashed', 'ENG-19'],
  ['Glaciers washed out in the dark style', 'ENG-29'],
] as const)('ranks the issue that "%s" duplicates first', async ([title, identifier]) => {
  await using server = await workspace(settings)
  expect((await duplicatesOf(server, title))[0]).toBe(identifier)
  expect(server.requests()).toBe(1)
})

test('finds a duplicate with a different title by its text', async () => {
  await using server = await workspace(settings)
  const text = String(server.emulator.store.issues().find(({ identifier }) => identifier === 'ENG-19')?.['description'])
  for (const title of ['Strange behaviour', 'What is this']) {
    const { issues } = await server.call('IssueTracker.FindDuplicates', { title, text })
    expect(issues).toMatchObject([{ identifier: 'ENG-19' }])
  }
})

test('finds a duplicate that is older than a hundred issues sharing a word with it', async () => {
  await using server = await workspace(settings)
  for (const half of [0, 50]) {
    const issues = Array.from({ length: 50 }, (_, row) => ({ team: 'OPS', title: `Pack of region ${half + row}`, assignee: 'none' }))
    await server.call('IssueTracker.BatchCreateIssues', { issues })
  }
  expect((await duplicatesOf(server, 'Crash when opening a pack that is being verified'))[0]).toBe('ENG-19')
})
