import { expect, it } from 'vitest'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

it('an issue, a project or an initiative is moved to the trash and out of it', covers('operations/trash'), async () => {
  const { at } = openUnlimited()
  for (const kind of ['issue', 'project', 'initiative']) {
    const id = await at(`${kind}s.nodes.0.id`, `{ ${kind}s(first: 1) { nodes { id } } }`)
    const update = (trashed: boolean | null) =>
      at(
        `made.${kind}`,
        `mutation($id: String!) { made: ${kind}Update(id: $id, input: { trashed: ${trashed} }) { ${kind} { trashed archivedAt } } }`,
        { id },
      )
    expect(await update(true)).toEqual({ trashed: true, archivedAt: '2026-09-16T12:00:00.000Z' })
    expect(await at(`${kind}s.nodes`, `query($id: ID!) { ${kind}s(filter: { id: { eq: $id } }) { nodes { id } } }`, { id })).toEqual([])
    expect(await update(null)).toEqual({ trashed: true, archivedAt: '2026-09-16T12:00:00.000Z' })
    expect(await update(false)).toMatchObject({ archivedAt: null })
    const archive = `mutation($id: String!) { ${kind}Archive(id: $id) { success } }`
    await at(`${kind}Archive.success`, archive, { id })
    expect(await update(null)).toMatchObject({ archivedAt: '2026-09-16T12:00:00.000Z' })
    expect(await update(false)).toMatchObject({ archivedAt: '2026-09-16T12:00:00.000Z' })
  }
})

it('a comment is resolved by the person that an update names', covers('comments/resolve'), async () => {
  const { at } = openUnlimited()
  const id = await at('commentCreate.comment.id', 'mutation { commentCreate(input: { issueId: "ENG-2", body: "?" }) { comment { id } } }')
  const me = await at('viewer.id', '{ viewer { id } }')
  const update = `mutation($id: String!, $by: String) {
    made: commentUpdate(id: $id, input: { resolvingUserId: $by }) { comment { resolvedAt resolvingUser { id } } }
  }`
  expect(await at('made.comment', update, { id, by: me })).toEqual({ resolvedAt: '2026-09-16T12:00:00.000Z', resolvingUser: { id: me } })
  expect(await at('made.comment', update, { id, by: null })).toEqual({ resolvedAt: null, resolvingUser: null })
})

it('a batch of issues changes fields that the servers do not use', covers('issues/batch'), async () => {
  const { at } = openUnlimited()
  const update = 'mutation { made: issueBatchUpdate(ids: ["ENG-2"], input: { sortOrder: 7 }) { issues { sortOrder } } }'
  expect(await at('made.issues', update)).toEqual([{ sortOrder: 7 }])
  expect(await at('issue.sortOrder', '{ issue(id: "ENG-2") { sortOrder } }')).toBe(7)
})

it('a batch of issues is in the history of each', covers('issues/history'), async () => {
  const { at } = openUnlimited()
  await at('made.success', 'mutation { made: issueBatchUpdate(ids: ["ENG-2", "ENG-3"], input: { title: "Both" }) { success } }')
  for (const id of ['ENG-2', 'ENG-3'])
    expect(await at('issue.history.nodes', `{ issue(id: "${id}") { history { nodes { toTitle } } } }`)).toEqual([{ toTitle: 'Both' }])
})
