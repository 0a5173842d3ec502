import type { JsonObject } from '@mcp-toolkits/emulator'
import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { integer, openStore, type SqlParameters, text } from '@mcp-toolkits/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { entityTypes, migrations } from '../src/entities.ts'
import { openLinear } from '../src/emulator.ts'
import { viewerId } from '../src/seed/seed-ids.ts'
import { fillWorkspace } from '../src/seed/seeds.ts'
import { openSession } from '../src/store/session.ts'
import { readPage } from '../src/store/tables.ts'
import { searches } from '../src/search/search.ts'

const now = Date.parse('2026-09-16T12:00:00Z')

function openWorkspace() {
  const store = openStore({ file: ':memory:', migrations })
  onTestFinished(() => store.close())
  fillWorkspace(store, 'edge-cases', now)
  return store
}

it.each<[string, JsonObject]>([
  ['a word', { filter: { or: [{ title: { containsIgnoreCase: 'x' } }, { description: { containsIgnoreCase: 'x' } }] } }],
  ['a team and a state', { filter: { team: { key: { eq: 'ENG' } }, state: { type: { eq: 'started' } } }, orderBy: 'updatedAt' }],
  ['an assignee', { filter: { assignee: { isMe: { eq: true } }, priority: { lte: 2 } } }],
  ['a project', { filter: { project: { name: { eq: 'x' } } } }],
])('a list of issues by %s reads only those that it shows', (_, args) => {
  const store = openWorkspace()
  const queries: [string, SqlParameters][] = []
  const recording: typeof store = {
    ...store,
    rows(columns, sql, parameters = {}) {
      queries.push([sql, parameters])
      return store.rows(columns, sql, parameters)
    },
  }
  readPage(recording, { entityTypes, values: [], viewerId, now }, { type: 'Issue', args })
  const [[sql, parameters] = ['', {}]] = queries
  const [plan] = store.rows({ detail: text }, `explain query plan ${sql}`, parameters)
  expect(plan?.detail).toBe(`SCAN a USING INDEX issues_${args['orderBy'] === 'updatedAt' ? 1 : 0}`)
  // The filter compares values in the index, so it never reads a row.
  const program = store.rows({ opcode: text, p1: integer, p2: integer, p3: integer }, `explain ${sql}`, parameters)
  const table = program.find(({ opcode }) => opcode === 'DeferredSeek')?.p3
  const columns = store.rows({ cid: integer, name: text }, "select cid, name from pragma_table_xinfo('issues')")
  const readFromRow = program
    .filter(({ opcode, p1 }) => opcode === 'Column' && p1 === table)
    .map(({ p2 }) => columns.find(({ cid }) => cid === p2)?.name)
  expect(readFromRow).toContain('sortOrder')
  const compared = ['archivedAt', 'teamId', 'stateId', 'assigneeId', 'projectId', 'priority', 'titleFold', 'descriptionFold']
  expect(readFromRow.filter((name) => compared.includes(name ?? ''))).toEqual([])
})

it('an issue search reads only the index and the issues that it shows', async () => {
  const store = openWorkspace()
  const { Query: queries = {} } = searches.resolvers
  const plans = await queryPlans(store, (recording) => {
    const caller = { viewerId, call: null, origin: () => '', files: () => '', pages: () => undefined, rateLimits: () => [] }
    const session = openSession({ ...caller, store: recording, entityTypes, now })
    expect(queries['searchIssues']?.({}, { term: 'e', first: 1 }, session)).toMatchObject({ nodes: [{}] })
    return Promise.resolve()
  })
  expect(plans.filter((plan) => /^(?:SCAN|SEARCH) a\b/.test(plan))).toEqual([
    expect.stringMatching(/^SCAN a USING COVERING INDEX issues_0/),
    expect.stringMatching(/^SEARCH a USING INDEX sqlite_autoindex_issues_1 \(id=\?\)/),
  ])
})

it('issues are counted by state and project, whatever happens to them', async () => {
  const emulator = openLinear({ seed: 'company' })
  onTestFinished(() => emulator.close())
  const { database } = emulator
  const ask = async (query: string) => {
    const headers = { authorization: 'lin_api_emulator', 'content-type': 'application/json' }
    const body = JSON.stringify({ query })
    expect(await (await emulator.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body })).text()).not.toContain(
      '"errors"',
    )
  }
  const shape = { stateId: text, projectId: text, count: integer }
  const counted = () =>
    database.rows(shape, 'select stateId, projectId, count from emulator_issue_counts where count > 0 order by stateId, projectId')
  const expected = () =>
    database.rows(
      shape,
      "select stateId, coalesce(projectId, '') as projectId, count(*) as count from issues where archivedAt is null group by 1, 2 order by 1, 2",
    )
  const seeded = counted()
  expect(seeded).toEqual(expected())
  const [one, two] = database.rows({ id: text }, "select id from issues where identifier in ('ENG-7', 'ENG-8') order by identifier")
  const [done] = database.rows(
    { id: text },
    "select id from workflowStates where name = 'Done' and teamId = (select id from teams where key = 'ENG')",
  )
  await ask(`mutation { issueUpdate(id: "${one?.id ?? ''}", input: { stateId: "${done?.id ?? ''}", projectId: null }) { success } }`)
  await ask(`mutation { issueArchive(id: "${two?.id ?? ''}") { success } }`)
  expect(counted()).not.toEqual(seeded)
  expect(counted()).toEqual(expected())
  emulator.reset()
  expect(counted()).toEqual(seeded)
})
