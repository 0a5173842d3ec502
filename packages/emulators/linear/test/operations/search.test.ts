import { dig } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

const search = `query($first: Int, $after: String, $last: Int, $before: String) {
  searchIssues(term: "QUOKKA", first: $first, after: $after, last: $last, before: $before) {
    totalCount nodes { title team { key } metadata } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`

/** An emulator with issues that have these titles in the team ENG. */
async function open(...titles: readonly string[]) {
  const emulator = openUnlimited()
  const teamId = await emulator.at('teams.nodes.0.id', '{ teams(filter: { key: { eq: "ENG" } }) { nodes { id } } }')
  const create = 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }'
  for (const title of titles) await emulator.at('issueCreate', create, { input: { teamId, title, description: 'About the quokka' } })
  return emulator
}

const titlesOf = (page: unknown) => {
  const nodes = dig(page, 'nodes')
  return Array.isArray(nodes) ? nodes.map((node) => dig(node, 'title')) : []
}

describe('issues', () => {
  it('are found by words, the best first, page by page', covers('search/words', 'search/pages', 'search/semantic'), async () => {
    const { at } = await open('Something else', 'Quokka login')
    const first = await at('searchIssues', search, { first: 1 })
    expect(first).toMatchObject({
      totalCount: 2,
      nodes: [{ title: 'Quokka login', team: { key: 'ENG' } }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    })
    const second = await at('searchIssues', search, { first: 1, after: dig(first, 'pageInfo.endCursor') })
    expect(second).toMatchObject({ nodes: [{ title: 'Something else' }], pageInfo: { hasNextPage: false, hasPreviousPage: true } })
    const back = await at('searchIssues', search, { last: 1, before: dig(second, 'pageInfo.startCursor') })
    expect(titlesOf(back)).toEqual(['Quokka login'])
    expect(titlesOf(await at('searchIssues', search, { last: 1 }))).toEqual(['Something else'])
    expect(
      await at('semanticSearch', '{ semanticSearch(query: "quokka", types: [issue]) { enabled results { type issue { title } } } }'),
    ).toMatchObject({ results: [{ type: 'issue', issue: { title: 'Quokka login' } }, {}] })
  })

  it.for([{ first: -1 }, { first: 0 }, { first: 251 }, { last: 251 }])('refuse a page of %j', covers('search/pages'), async (size) => {
    const { ask } = await open()
    const { errors } = await ask(search, size)
    expect(dig(errors, '0.extensions.userPresentableMessage')).toBe('first and last must be from 1 to 250.')
  })

  it('refuse a cursor of another connection', covers('search/pages'), async () => {
    const { ask } = await open()
    const { errors } = await ask(search, { before: 'another' })
    expect(dig(errors, '0.extensions.userPresentableMessage')).toBe('The cursor does not belong to this connection.')
  })

  it('are all counted, and found beyond the first 250', covers('search/pages'), async () => {
    const { at, addIssues } = await open()
    addIssues(300)
    const query = 'query($term: String!) { searchIssues(term: $term, first: 1) { totalCount } }'
    expect(await at('searchIssues.totalCount', query, { term: 'of many' })).toBe(300)
  })

  it('are not found by words of other issues', covers('search/words'), async () => {
    const { at } = await open('Quokka login')
    expect(await at('searchIssues.totalCount', '{ searchIssues(term: "quokka logout") { totalCount } }')).toBe(0)
  })
})

it('finds projects and initiatives by what their descriptions say', covers('search/words'), async () => {
  const { at } = await open()
  const projectId = await at('projects.nodes.0.id', '{ projects(first: 1) { nodes { id } } }')
  const describe = 'mutation($id: String!) { projectUpdate(id: $id, input: { description: "For the quokka" }) { success } }'
  await at('projectUpdate.success', describe, { id: projectId })
  expect(await at('searchProjects.nodes', '{ searchProjects(term: "quokka") { nodes { id } } }')).toEqual([{ id: projectId }])
})

it('prefers documents of a team only when one is named', covers('search/words'), async () => {
  const { at } = await open()
  const teamId = await at('teams.nodes.0.id', '{ teams(first: 1) { nodes { id } } }')
  const create = 'mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { success } }'
  await at('documentCreate.success', create, { input: { title: 'Notes', content: 'About the quokka' } })
  await at('documentCreate.success', create, { input: { title: 'Quokka', teamId } })
  const find = 'query($teamId: String) { searchDocuments(term: "quokka", teamId: $teamId) { nodes { title } } }'
  expect(await at('searchDocuments.nodes', find, { teamId: null })).toEqual([{ title: 'Quokka' }, { title: 'Notes' }])
})
