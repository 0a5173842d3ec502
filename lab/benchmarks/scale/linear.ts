// A Linear with many issues, and what people and programs ask of it most.
import type { DatabaseSync } from 'node:sqlite'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { extendedApi } from '../../../packages/emulators/linear/src/extended-api/index.ts'
import { type CopiedTable, copyRows, openForPlanting } from './copies.ts'
import type { ScaledEmulator, ScaleRequest } from './scaled-emulator.ts'

/** The id of a copy; `kind` tells the tables apart. */
const copyOf = (kind: number, original: string) => `printf('%08x-%04x-4000-8000-%012x', k, ${kind}, ${original})`
const issueCopy = (column: string) => `(select ${copyOf(1, 'i.original')} from temp.original_issues i where i.id = t.${column})`
const earlier = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', t.${column}, '-' || k || ' hours')`

const ofIssue = (table: string, changes: CopiedTable['changes'] = {}): CopiedTable => ({
  table,
  changes: { issueId: issueCopy('issueId'), ...changes },
  where: `exists (select 1 from main.issues where id = ${issueCopy('issueId')})`,
})

const numberOfCopy = 't.number + 1000 * k'

/** Issues in the states, projects and hands of the company, with their comments, labels, subscribers and links. */
const tables: readonly CopiedTable[] = [
  {
    table: 'issues',
    changes: {
      id: copyOf(1, 't.original'),
      number: numberOfCopy,
      identifier: `(select key from teams where id = t.teamId) || '-' || cast(${numberOfCopy} as integer)`,
      createdAt: earlier('createdAt'),
      updatedAt: earlier('updatedAt'),
      parentId: 'null',
    },
  },
  ofIssue('comments', { id: copyOf(2, 't.original'), createdAt: earlier('createdAt'), parentId: 'null' }),
  ofIssue('attachments', { id: copyOf(3, 't.original'), url: "t.url || '?copy=' || k" }),
  ofIssue('issueSubscribers'),
  ofIssue('issueLabels'),
]

/** A word that stands in one issue alone. */
const rareWord = 'zeppelin'

/** Each issue was created and then moved to its state by an agent. */
const mutations = `insert into mutations (at, field, entity, subject, viewer, call, changes)
  select createdAt, 'issueCreate', id, id, creatorId, 'CreateIssue', null from issues order by createdAt;
insert into mutations (at, field, entity, subject, viewer, call, changes)
  select updatedAt, 'issueUpdate', id, id, creatorId, 'UpdateIssue', json_object('stateId', json_array(stateId, stateId)) from issues order by updatedAt;`

async function plant(file: string, count: number): Promise<void> {
  const emulator = linearEmulator({ file, seed: 'company', api: extendedApi })
  await emulator.close()
  using database = openForPlanting(file)
  copyRows(database, { tables, count })
  database.exec(mutations)
  const words = { title: `The ${rareWord} has landed`, description: `Tell everyone about the ${rareWord}.` }
  database
    .prepare(
      `update issues set title = :title, titleFold = lower(:title), titleBare = lower(:title), description = :description,
        descriptionFold = lower(:description), descriptionBare = lower(:description)
       where id = (select id from issues order by createdAt limit 1)`,
    )
    .run(words)
}

const page = (name: string, path: string): ScaleRequest => ({ kind: 'page', name, path: `/workspace${path}` })

const query = (name: string, text: string, variables: object = {}): ScaleRequest => ({
  kind: 'query',
  name,
  path: '/graphql',
  method: 'POST',
  body: () => ({ query: text, variables }),
})

const issueFields = 'id identifier title priority updatedAt state { name } assignee { name }'
const nodes = `nodes { ${issueFields} } pageInfo { hasNextPage endCursor }`

function pagesOf(text: (sql: string) => string): ScaleRequest[] {
  const state = text("select id from workflowStates where name = 'Backlog' and teamId = (select id from teams where key = 'ENG')")
  return [
    page('board', '/board/ENG'),
    page('issues of a state', `/board/ENG?state=${state}`),
    page('issue', `/issue/${text('select identifier from issues order by createdAt desc limit 1')}`),
    page('projects', '/projects'),
    page('project', `/project/${text('select slugId from projects limit 1')}`),
    page('initiatives', '/initiatives'),
    page('initiative', `/initiative/${text('select slugId from initiatives limit 1')}`),
    page('person', `/profiles/${text("select displayName from users where email like 'robin%' limit 1")}`),
    page('activity', '/activity'),
    page('requests', '/requests'),
  ]
}

function queriesOf(text: (sql: string) => string): ScaleRequest[] {
  const teamId = text("select id from teams where key = 'ENG'")
  const id = text('select id from issues order by createdAt desc limit 1')
  const project = text('select id from projects limit 1')
  return [
    query('`issues`, the first 50', `{ issues(first: 50) { ${nodes} } }`),
    query(
      '`issues` of a team that are started',
      `query ($filter: IssueFilter) { issues(first: 50, orderBy: updatedAt, filter: $filter) { ${nodes} } }`,
      { filter: { team: { key: { eq: 'ENG' } }, state: { type: { eq: 'started' } } } },
    ),
    query('`issues` with a rare word', `query ($filter: IssueFilter) { issues(first: 50, filter: $filter) { ${nodes} } }`, {
      filter: { or: [{ title: { containsIgnoreCase: rareWord } }, { description: { containsIgnoreCase: rareWord } }] },
    }),
    query('`searchIssues`', `query ($term: String!) { searchIssues(term: $term, first: 20) { nodes { id title } } }`, { term: 'sync' }),
    query('`viewer.assignedIssues`', `{ viewer { id assignedIssues(first: 50) { ${nodes} } } }`),
    query(
      '`issue` with comments and labels',
      `query ($id: String!) { issue(id: $id) { ${issueFields} comments { nodes { body } } labels { nodes { name } } } }`,
      {
        id,
      },
    ),
    query('`project` with its issues', `query ($id: String!) { project(id: $id) { name issues(first: 50) { ${nodes} } } }`, {
      id: project,
    }),
    query('`issueCreate`', 'mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }', {
      input: { teamId, title: 'Measure' },
    }),
    query('`issueUpdate`', 'mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }', {
      ...{ id, input: { priority: 2 } },
    }),
    query('`commentCreate`', 'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
      input: { issueId: text('select id from issues order by createdAt limit 1 offset 5'), body: 'Measured.' },
    }),
  ]
}

const textFrom = (database: DatabaseSync) => (sql: string) => String(Object.values(database.prepare(sql).get() ?? {})[0])

export const linear: ScaledEmulator = {
  name: 'linear-emulator',
  records: 'issues',
  count: 10_000,
  file: 'linear.db',
  authorization: 'lin_api_emulator',
  plant,
  requests(file) {
    using database = openForPlanting(file)
    const text = textFrom(database)
    return [...pagesOf(text), ...queriesOf(text)]
  },
}
