import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Args } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const Answer = z.looseObject({ pagination: z.object({ end_cursor: z.string().nullable() }) })
/** A row's ids that Linear accepts. */
const Row = z.object({ identifier: z.string().optional(), slug_id: z.string().optional(), id: z.string().optional() })
const Rows = z.array(Row.transform(({ identifier, slug_id: slug, id }) => identifier ?? slug ?? id ?? ''))

const createIssue = 'mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success } }'
const updateIssue = 'mutation Update($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }'
const createProject = 'mutation Create($input: ProjectCreateInput!) { projectCreate(input: $input) { success } }'
const updateProject = 'mutation Update($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }'
const createInitiative = 'mutation Create($input: InitiativeCreateInput!) { initiativeCreate(input: $input) { success } }'
const updateInitiative =
  'mutation Update($id: String!, $input: InitiativeUpdateInput!) { initiativeUpdate(id: $id, input: $input) { success } }'

interface Listed {
  readonly tool: string
  readonly list: string
  readonly args?: Record<string, unknown>
  /** Adds a record that the list shows. */
  readonly create: (server: Workspace) => Promise<void>
  readonly change: (server: Workspace, id: string) => Promise<void>
}

async function teamOf(server: Workspace): Promise<unknown> {
  return Promise.resolve(server.emulator.store.issues()[0]?.['teamId'])
}

const lists: readonly Listed[] = [
  {
    tool: 'ListIssues',
    list: 'issues',
    create: async (server) => server.mutate(createIssue, { input: { title: 'New', teamId: await teamOf(server) } }),
    change: async (server, id) => server.mutate(updateIssue, { id, input: { title: 'Changed' } }),
  },
  {
    tool: 'ListProjects',
    list: 'projects',
    create: async (server) => server.mutate(createProject, { input: { name: 'New', teamIds: [await teamOf(server)] } }),
    change: async (server, id) => server.mutate(updateProject, { id, input: { name: 'Changed' } }),
  },
  {
    tool: 'ListInitiatives',
    list: 'initiatives',
    create: async (server) => server.mutate(createInitiative, { input: { name: 'New' } }),
    change: async (server, id) => server.mutate(updateInitiative, { id, input: { name: 'Changed' } }),
  },
]

/** Reads a whole list, three rows at a time, and does something between the pages. */
async function readAll(server: Workspace, { tool, list }: Listed, between: (seen: readonly string[]) => Promise<void>): Promise<string[]> {
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = Answer.parse(
      await server.call(`IssueTracker.${tool}`, { limit: 3, ...(cursor !== undefined && { end_cursor: cursor }) }),
    )
    seen.push(...Rows.parse(answer[list]))
    cursor = answer.pagination.end_cursor
    if (cursor !== null) await between(seen)
  }
  return seen
}

test.for(lists)('$tool lists each row once and in order while rows are created and changed', async (listed) => {
  await using server = await workspace({ emulated: { limits: { requests: 100_000, points: 100_000_000 } } })
  for (let count = 0; count < 6; count += 1) await listed.create(server)
  const there = await readAll(server, listed, async () => Promise.resolve())
  expect(there.length).toBeGreaterThan(9)
  expect(new Set(there).size).toBe(there.length)
  const seen = await readAll(server, listed, async (read) => {
    await listed.create(server)
    // The last record read, which the cursor names; one that was read long before; the next one; and the last one of all.
    const ids = [read.at(-1), read[0], there[read.length], there.at(-1)]
    for (const id of ids) if (id !== undefined) await listed.change(server, id)
  })
  expect(seen).toEqual(there)
  const after = await readAll(server, listed, async () => Promise.resolve())
  expect(after.slice(-there.length)).toEqual(there)
  expect(after.length).toBeGreaterThan(there.length)
})

test('leaves out an issue that stops matching before its page is read, and nothing else', async () => {
  await using server = await workspace()
  const page = async (cursor?: string | null) =>
    Answer.parse(await server.call('IssueTracker.ListIssues', { limit: 3, keywords: 'e', end_cursor: cursor }))
  const all = Rows.parse((await server.call('IssueTracker.ListIssues', { limit: 50, keywords: 'e' }))['issues'])
  const first = await page()
  await server.mutate('mutation Archive($id: String!) { issueArchive(id: $id) { success } }', { id: all[3] })
  const second = await page(first.pagination.end_cursor)
  expect(Rows.parse(second['issues'])).toEqual(all.slice(4, 7))
})

test('does not call a list empty if only the rest of it is gone', async () => {
  await using server = await workspace({ toolsets: ['planning'], emulated: { seed: 'company' } })
  const second = async (tool: string, args: Args, remove: string, records: readonly Readonly<Record<string, unknown>>[]) => {
    const { pagination } = await server.call(tool, { ...args, limit: 1 })
    for (const { id } of records) await server.mutate(`mutation($id: String!) { ${remove}(id: $id) { success } }`, { id })
    return server.call(tool, { ...args, limit: 1, end_cursor: member(pagination, 'end_cursor') })
  }
  const { store } = server.emulator
  const none = { pagination: { has_more: false, end_cursor: null } }
  expect(await second('IssueTracker.ListIssues', { team: 'OPS' }, 'issueArchive', store.issues())).toEqual({ issues: [], ...none })
  const milestones = await second('IssueTracker.ListMilestones', { project: 'Trails launch' }, 'projectMilestoneDelete', store.milestones())
  expect(milestones).toEqual({ project: 'Trails launch', milestones: [], ...none })
})
