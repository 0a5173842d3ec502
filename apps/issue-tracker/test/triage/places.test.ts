import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { recordWith, textWith } from '../matching.ts'
import { workspace } from '../workspace.ts'

const setParent = 'IssueTracker.SetParentIssue'
const restore = 'IssueTracker.UnarchiveIssue'
const unrelate = 'IssueTracker.DeleteIssueRelation'
const triage = { toolsets: ['triage'] }

test('makes an issue a sub-issue, moves it and detaches it, in two requests each', async () => {
  await using server = await workspace(triage)
  const place = async (parent: string) => {
    const before = server.requests()
    const result = await server.call(setParent, { issue: 'ENG-4', parent_issue: parent })
    return [server.requests() - before, result] as const
  }
  expect(await place('eng-1')).toMatchObject([2, { parent: { identifier: 'ENG-1' }, changed: true }])
  expect(await place('ENG-1')).toMatchObject([1, { changed: false, notices: [textWith('is already a sub-issue of ENG-1')] }])
  expect(await place('DES-4')).toMatchObject([2, { parent: { identifier: 'DES-4' }, previous_parent: 'ENG-1' }])
  expect(await place('none')).toEqual([2, { issue: recordWith({ identifier: 'ENG-4' }), previous_parent: 'DES-4', changed: true }])
  expect(await place('none')).toMatchObject([1, { changed: false, notices: [textWith('ENG-4 has no parent')] }])
})

test('refuses a parent that is the issue itself, its sub-issue or unknown, and writes nothing', async () => {
  await using server = await workspace(triage)
  await server.call(setParent, { issue: 'ENG-4', parent_issue: 'ENG-1' })
  const written = server.emulator.store.mutations().length
  expect(await server.fails(setParent, { issue: 'ENG-1', parent_issue: 'eng-1' })).toMatchObject({
    code: 'invalid_input',
    message: textWith('ENG-1 cannot be its own parent'),
  })
  expect(await server.fails(setParent, { issue: 'ENG-1', parent_issue: 'ENG-4' })).toMatchObject({ code: 'invalid_input' })
  const error = await server.fails(setParent, { issue: 'ENG-9999', parent_issue: 'XYZ-1' })
  expect(error).toMatchObject({ code: 'not_found', message: textWith('ENG-9999') })
  expect(error.message).toContain('XYZ-1')
  expect(server.emulator.store.mutations()).toHaveLength(written)
})

test('restores an archived issue, and does nothing to any other', async () => {
  await using server = await workspace(triage)
  await server.call('IssueTracker.ArchiveIssue', { issue: 'ENG-4' })
  expect(await server.call(restore, { issue: 'ENG-4' })).toMatchObject({ issue: { identifier: 'ENG-4' }, changed: true })
  expect(await server.call(restore, { issue: 'ENG-4' })).toMatchObject({ changed: false, notices: [textWith('and not archived')] })
  expect((await server.call('IssueTracker.GetIssue', { issue_id: 'ENG-4' }))['issue']).not.toHaveProperty('archived_at')
})

test('removes a relation from either side, and says which one is there instead', async () => {
  await using server = await workspace(triage)
  const args = { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blockedBy' }
  await server.call('IssueTracker.CreateIssueRelation', args)
  const stored = server.emulator.store.relations().length
  expect(await server.call(unrelate, { ...args, relation_type: 'blocks' })).toMatchObject({
    changed: false,
    notices: [textWith('Its relations to that issue: blockedBy.')],
  })
  const other = { issue: 'DES-4', related_issue: 'ENG-4', relation_type: 'blocks' }
  expect(await server.call(unrelate, other)).toMatchObject({ relation: { relation_type: 'blocks' }, changed: true })
  expect(server.emulator.store.relations()).toHaveLength(stored - 1)
  expect(await server.call(unrelate, args)).toMatchObject({ changed: false })
})

test('says that a duplicate stays closed', async () => {
  await using server = await workspace(triage)
  const args = { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' }
  await server.call('IssueTracker.CreateIssueRelation', args)
  expect((await server.call(unrelate, args))['notices']).toEqual([textWith('ENG-7 stays in "Duplicate"')])
})

test('reports a "success" that changed nothing', async () => {
  const ignoring: string[] = []
  await using server = await workspace({
    ...triage,
    vendor: async (input, init) => {
      const request = new Request(input, init)
      const body = (await request.clone().text()).replace(/"parentId":"[^"]+"/, () => {
        ignoring.push('parentId')
        return '"trashed":false'
      })
      return server.emulator.fetch(new Request(request, { body }))
    },
  })
  const error = await server.fails(setParent, { issue: 'ENG-4', parent_issue: 'ENG-1' })
  expect(error).toMatchObject({
    code: 'unavailable',
    message: textWith('shows no change: parent_issue does not have the value that you passed'),
  })
  expect(ignoring).toEqual(['parentId'])
})

test('finds a relation that only the other issue shows, and one on a later page of both', async () => {
  await using server = await workspace({ ...triage, emulated: { limits: { requests: 1e6, points: 1e9 } } })
  server.emulator.addIssues(110)
  const others = server.emulator.store.issues().flatMap(({ identifier }) => (/^ENG-\d{2,}$/.test(String(identifier)) ? [identifier] : []))
  const relate = async (issueId: unknown, relatedIssueId: unknown) =>
    server.mutate('mutation ($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }', {
      input: { issueId, relatedIssueId, type: 'blocks' },
    })
  await relate('ENG-4', 'DES-4')
  for (const other of others.slice(0, 105)) await relate('ENG-4', other)
  const args = { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }
  const reversed = { issue: 'DES-4', related_issue: 'ENG-4', relation_type: 'blockedBy' }
  const changes = async (tool: string, passed: Args) => (await server.call(`IssueTracker.${tool}`, passed))['changed']
  expect(await changes('CreateIssueRelation', args)).toBe(false)
  expect(await changes('DeleteIssueRelation', args)).toBe(true)
  await relate('ENG-4', 'DES-4')
  for (const other of others.slice(0, 105)) await relate(other, 'DES-4')
  for (const other of others.slice(0, 105)) await relate('ENG-4', other).catch(() => undefined)
  const stored = server.emulator.store.relations().length
  expect(await changes('CreateIssueRelation', args)).toBe(false)
  expect(await changes('CreateIssueRelation', reversed)).toBe(false)
  expect(server.emulator.store.relations()).toHaveLength(stored)
  expect(await changes('DeleteIssueRelation', reversed)).toBe(true)
  expect(await changes('DeleteIssueRelation', args)).toBe(false)
  expect(await changes('CreateIssueRelation', args)).toBe(true)
  expect(server.emulator.store.relations()).toHaveLength(stored)
})
