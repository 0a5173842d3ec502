import fc from 'fast-check'
import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../testing/src/runs.ts'
import { idOf } from '../src/ids.ts'
import { covers, openEmulator } from './emulator.ts'

const query = `query Page($first: Int, $after: String, $last: Int, $before: String, $orderBy: PaginationOrderBy, $filter: IssueFilter) {
  issues(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    nodes { id identifier } edges { cursor node { identifier } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

describe('pages', () => {
  it(
    'have 50 entities by default and 250 at most, newest first',
    covers('pages/size', 'pages/maximum-size', 'pages/bad-size'),
    async () => {
      const { ask, addIssues } = openEmulator({ seed: 'empty' })
      addIssues(300)
      const defaultPage = await ask(query)
      expect(dig(defaultPage.data, 'issues.nodes.length')).toBeUndefined()
      expect(dig(defaultPage.data, 'issues.nodes')).toHaveLength(50)
      expect(dig(defaultPage.data, 'issues.nodes.0.identifier')).toBe('ENG-300')
      expect(dig((await ask(query, { first: 250 })).data, 'issues.nodes')).toHaveLength(250)
      for (const variables of [{ first: 251 }, { first: 0 }, { first: -1 }, { last: 251 }, { first: 1, last: 1 }]) {
        const { status, data, errors } = await ask(query, variables)
        expect([status, data, errors[0]?.['message']]).toEqual([200, null, 'Argument Validation Error'])
      }
    },
  )

  it('are ordered by createdAt or updatedAt, then by id', covers('pages/order', 'pages/ties'), async () => {
    const { ask, list, store, pass } = openEmulator({ seed: 'empty' })
    const create = `mutation { issueCreate(input: { teamId: "${idOf('Team Engineering')}", title: "x" }) { success } }`
    for (let count = 0; count < 12; count += 1) {
      if (count % 4 === 0) pass(1000)
      await ask(create)
    }
    for (const id of ['ENG-2', 'ENG-7', 'ENG-5']) {
      pass(1000)
      await ask(`mutation { issueUpdate(id: "${id}", input: { priority: 1 }) { success } }`)
    }
    for (const orderBy of ['createdAt', 'updatedAt']) {
      const keys = store.issues().map((issue) => `${String(issue[orderBy])} ${String(issue['id'])}`)
      const inOrder = await list('id', query, { orderBy })
      expect(inOrder).toEqual(
        keys
          .sort()
          .toReversed()
          .map((key) => key.split(' ')[1]),
      )
    }
    expect(await list('id', query)).toEqual(await list('id', query, { orderBy: 'createdAt' }))
  })

  it('go forwards and backwards', async () => {
    const { ask, addIssues } = openEmulator({ seed: 'empty' })
    addIssues(5)
    const first = await ask(query, { first: 2 })
    expect(dig(first.data, 'issues.pageInfo')).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    const second = await ask(query, { first: 2, after: dig(first.data, 'issues.pageInfo.endCursor') })
    expect(names(second.data)).toEqual(['ENG-3', 'ENG-2'])
    const third = await ask(query, { first: 2, after: dig(second.data, 'issues.edges.1.cursor') })
    expect(names(third.data)).toEqual(['ENG-1'])
    expect(dig(third.data, 'issues.pageInfo')).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    const back = await ask(query, { last: 2, before: dig(third.data, 'issues.pageInfo.startCursor') })
    expect(names(back.data)).toEqual(['ENG-3', 'ENG-2'])
    expect(dig(back.data, 'issues.pageInfo')).toMatchObject({ hasNextPage: true, hasPreviousPage: true })
    expect(names((await ask(query, { last: 2 })).data)).toEqual(['ENG-2', 'ENG-1'])
    expect(names((await ask(query, { before: dig(first.data, 'issues.edges.1.cursor') })).data)).toEqual(['ENG-5'])
    const empty = await ask(query, { filter: { title: { eq: 'nothing' } } })
    expect(dig(empty.data, 'issues.pageInfo')).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null })
  })

  it('refuse malformed cursors and cursors of another order or type', covers('pages/cursors'), async () => {
    const { ask, at } = openEmulator()
    const team = await at('teams.pageInfo.endCursor', '{ teams(first: 1) { pageInfo { endCursor } } }')
    const byUpdate = dig((await ask(query, { first: 1, orderBy: 'updatedAt' })).data, 'issues.pageInfo.endCursor')
    for (const after of ['x', '', "' or 1=1 --", 'bnVsbA', team, byUpdate]) {
      const { data, errors } = await ask(query, { after })
      expect([data, errors[0]?.['extensions']]).toEqual([null, expect.objectContaining({ code: 'INVALID_INPUT', userError: true })])
    }
  })

  it('cover thousands of issues without gaps or repeats while others are created', async () => {
    const { ask, addIssues, pass } = openEmulator({ seed: 'empty', limits: { requests: 10_000 } })
    const total = runs(20_000)
    addIssues(total)
    const seen = new Set<string>()
    let after: unknown = null
    let pages = 0
    const namesQuery = `query Page($first: Int, $after: String, $orderBy: PaginationOrderBy, $filter: IssueFilter) {
      issues(first: $first, after: $after, orderBy: $orderBy, filter: $filter) { nodes { identifier } pageInfo { hasNextPage endCursor } }
    }`
    do {
      const { data } = await ask(namesQuery, {
        first: 250,
        after,
        orderBy: 'updatedAt',
        filter: { team: { key: { eqIgnoreCase: 'eng' } } },
      })
      const found = names(data)
      expect(found.filter((name) => seen.has(name))).toEqual([])
      for (const name of found) seen.add(name)
      pages += 1
      pass(1000)
      if (pages % 4 === 0) addIssues(3)
      after = dig(data, 'issues.pageInfo.hasNextPage') === true ? textAt(data, 'issues.pageInfo.endCursor') : null
    } while (after !== null)
    expect([pages, seen.size]).toEqual([total / 250, total])
  })

  it('include archived entities only on request', covers('pages/archived'), async () => {
    const { list } = openEmulator()
    const filter = '(first: 250, filter: { archivedAt: { null: false } }'
    expect(await list('identifier', `{ issues${filter}) { nodes { identifier } } }`)).toEqual([])
    expect((await list('identifier', `{ issues${filter}, includeArchived: true) { nodes { identifier } } }`)).sort()).toEqual([
      'ENG-17',
      'OPS-12',
    ])
    expect(await list('key', '{ teams { nodes { key } } }')).toEqual(['DES', 'OPS', 'ENG'])
    expect(await list('key', '{ teams(includeArchived: true) { nodes { key } } }')).toEqual(['DES', 'OPS', 'LAB', 'ENG'])
  })

  it('include deactivated users only on request', covers('pages/deactivated-users'), async () => {
    const { list } = openEmulator()
    expect(await list('name', '{ users { nodes { name } } }')).not.toContain('Leo Brandt')
    expect(await list('name', '{ users(includeDisabled: true) { nodes { name } } }')).toContain('Leo Brandt')
  })
})

function names(data: unknown): string[] {
  const nodes = dig(data, 'issues.nodes')
  return Array.isArray(nodes) ? nodes.map((node) => textAt(node, 'identifier')) : []
}

describe('archived entities', () => {
  it('are found by id and through relations', covers('pages/archived-by-id'), async () => {
    const { ask, at } = openEmulator()
    expect(await at('issue.archivedAt', '{ issue(id: "ENG-17") { archivedAt } }')).not.toBeNull()
    await ask(`mutation { projectArchive(id: "${idOf('Project Apollo')}") { success } }`)
    await ask('mutation { issueArchive(id: "ENG-4") { success } }')
    expect(await at('issue', '{ issue(id: "ENG-5") { project { name archivedAt } parent { identifier } } }')).toEqual({
      project: { name: 'Apollo', archivedAt: '2026-09-16T12:00:00.000Z' },
      parent: { identifier: 'ENG-4' },
    })
    expect(await at('project.name', `{ project(id: "${idOf('Project Apollo')}") { name } }`)).toBe('Apollo')
  })
})

describe('any sequence of pages', () => {
  it('returns every entity once, in order', covers('pages/directions'), async () => {
    const { list, ask } = openEmulator()
    for (const orderBy of ['createdAt', 'updatedAt']) {
      const all = (await list('identifier', query, { first: 250, orderBy })).map(String)
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 }),
          fc.boolean(),
          async (sizes, backward) => {
            const visited: string[] = []
            let cursor: unknown = null
            for (const size of sizes) {
              const { data } = await ask(
                query,
                backward ? { last: size, before: cursor, orderBy } : { first: size, after: cursor, orderBy },
              )
              if (names(data).length === 0) break
              if (backward) visited.unshift(...names(data))
              else visited.push(...names(data))
              cursor = dig(data, backward ? 'issues.pageInfo.startCursor' : 'issues.pageInfo.endCursor')
            }
            expect(visited).toEqual(backward ? all.slice(all.length - visited.length) : all.slice(0, visited.length))
          },
        ),
        { numRuns: 20 },
      )
    }
  })
})
