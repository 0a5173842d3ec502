import { dig } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { covers, key, openEmulator } from './emulator.ts'

/** Matches strings that contain `part`. */
const containing = (part: string): unknown => expect.stringContaining(part)

const viewer = '{ viewer { name } }'
const team = idOf('Team Engineering')
const create = 'mutation Make($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }'

describe('authentication', () => {
  it('accepts a key without Bearer and a token with it', covers('access/authorization-header', 'access/bad-token'), async () => {
    const { ask } = openEmulator()
    for (const authorization of ['lin_api_emulator', 'Bearer lin_oauth_emulator']) {
      expect((await ask(viewer, {}, { authorization })).status).toBe(200)
    }
    for (const headers of [
      {},
      { authorization: 'Bearer lin_api_emulator' },
      { authorization: 'lin_oauth_emulator' },
      { authorization: 'lin_api_wrong' },
      { authorization: '' },
    ]) {
      const { status, data, errors } = await ask(viewer, {}, { ...headers })
      expect([status, data]).toEqual([401, undefined])
      expect(errors).toEqual([
        {
          message: 'Authentication required, not authenticated',
          extensions: {
            type: 'authentication error',
            code: 'AUTHENTICATION_ERROR',
            statusCode: 401,
            userError: true,
            userPresentableMessage: 'You need to authenticate to access this operation.',
            http: { status: 401 },
          },
        },
      ])
    }
  })

  it('checks scopes', covers('access/missing-scope'), async () => {
    const token = { authorization: 'Bearer lin_oauth_emulator' }
    const { ask, store } = openEmulator({ scopes: ['read', 'comments:create'] })
    expect((await ask(viewer, {}, token)).status).toBe(200)
    const refused = await ask(create, { input: { teamId: team, title: 'x' } }, token)
    expect(refused).toMatchObject({
      status: 400,
      data: null,
      errors: [{ message: 'Invalid scope: `write` required', extensions: { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 } }],
    })
    expect((await ask('{ initiatives { nodes { id } } }', {}, token)).errors[0]?.['message']).toBe(
      'Invalid scope: `initiative:read` required',
    )
    const nested = '{ projects(first: 1) { nodes { id initiatives { nodes { name } } } } }'
    expect(await ask(nested, {}, token)).toMatchObject({
      status: 400,
      data: null,
      errors: [{ message: 'Invalid scope: `initiative:read` required' }],
    })
    const comment = 'mutation { commentCreate(input: { issueId: "ENG-1", body: "Hello" }) { success } }'
    expect((await ask(comment, {}, token)).status).toBe(200)
    expect(store.mutations().map(({ field }) => field)).toEqual(['commentCreate'])
    expect((await ask(create, { input: { teamId: team, title: 'By key' } })).status).toBe(200)
  })

  it('limits narrow scopes to their mutations', covers('access/narrow-scopes'), async () => {
    const token = { authorization: 'Bearer lin_oauth_emulator' }
    const named: readonly (readonly [scope: string | undefined, mutation: string])[] = [
      ['issues:create', `issueCreate(input: { teamId: "${team}", title: "x" })`],
      ['issues:create', 'attachmentCreate(input: { issueId: "ENG-1", url: "https://example.com", title: "x" })'],
      ['comments:create', 'commentCreate(input: { issueId: "ENG-1", body: "x" })'],
      [undefined, `commentUpdate(id: "${idOf('Comment plan')}", input: { body: "x" })`],
      [undefined, 'issueUpdate(id: "ENG-1", input: { title: "x" })'],
      [undefined, 'attachmentLinkURL(issueId: "ENG-1", url: "https://example.com/2")'],
      [undefined, 'issueRelationCreate(input: { issueId: "ENG-1", relatedIssueId: "ENG-9", type: related })'],
    ]
    for (const scope of ['issues:create', 'comments:create', 'write', 'initiative:write']) {
      const { ask } = openEmulator({ scopes: ['read', scope] })
      for (const [enough, mutation] of named) {
        const { status } = await ask(`mutation { ${mutation} { success } }`, {}, token)
        expect([scope, mutation, status]).toEqual([scope, mutation, scope === 'write' || scope === enough ? 200 : 400])
      }
    }
  })

  it('checks the scopes of initiatives at any depth', covers('access/initiative-scopes'), async () => {
    const token = { authorization: 'Bearer lin_oauth_emulator' }
    const documents: readonly (readonly [scope: string, document: string])[] = [
      ['initiative:read', '{ initiatives { nodes { id } } }'],
      ['initiative:read', '{ projects(first: 1) { nodes { initiatives { nodes { id } } } } }'],
      ['initiative:read', '{ projects(first: 1) { nodes { initiativeToProjects { nodes { id } } } } }'],
      ['initiative:write', 'mutation { initiativeCreate(input: { name: "x" }) { success } }'],
      ['initiative:write', `mutation { initiativeArchive(id: "${idOf('Initiative Reliability')}") { success } }`],
    ]
    for (const [scope, document] of documents) {
      const { ask } = openEmulator({ scopes: ['read', 'write'] })
      expect((await ask(document, {}, token)).errors[0]?.['message']).toBe(`Invalid scope: \`${scope}\` required`)
      expect((await openEmulator({ scopes: ['read', scope] }).ask(document, {}, token)).status).toBe(200)
    }
  })
})

describe('rate limits', () => {
  it('are in the headers of every response', covers('limits/headers', 'limits/complexity-default-first'), async () => {
    const { ask, pass, now } = openEmulator({ limits: { requests: 10, points: 1000 } })
    const limitHeaders = async (query: string) => {
      const { headers } = await ask(query)
      return ['x-complexity', 'x-ratelimit-requests-remaining', 'x-ratelimit-complexity-remaining'].map((name) => headers.get(name))
    }
    expect(await limitHeaders(viewer)).toEqual(['2', '9', '998'])
    expect(await limitHeaders('{ teams { nodes { id name key } } }')).toEqual(['65', '8', '933'])
    expect(await limitHeaders('{ teams(first: 10) { nodes { id name key } } }')).toEqual(['13', '7', '920'])
    expect(await limitHeaders('{ nonsense }')).toEqual([null, '6', '920'])
    expect(Number((await ask(viewer)).headers.get('x-ratelimit-requests-reset'))).toBe(now() + (5 / 10) * 3_600_000)
    pass(3_600_000)
    expect(await limitHeaders(viewer)).toEqual(['2', '9', '998'])
  })

  it('are separate for keys and tokens, with the values of the vendor', covers('limits/per-hour'), async () => {
    const { ask } = openEmulator()
    const limitHeaders = async (authorization: string) => {
      const { headers } = await ask(viewer, {}, { authorization })
      return ['requests-limit', 'requests-remaining', 'complexity-limit', 'complexity-remaining'].map((name) =>
        Number(headers.get(`x-ratelimit-${name}`)),
      )
    }
    expect(await limitHeaders('lin_api_emulator')).toEqual([2500, 2499, 3_000_000, 2_999_998])
    expect(await limitHeaders('lin_api_emulator')).toEqual([2500, 2498, 3_000_000, 2_999_996])
    expect(await limitHeaders('Bearer lin_oauth_emulator')).toEqual([5000, 4999, 2_000_000, 1_999_998])
  })

  it('ignore requests without a token', covers('limits/anonymous'), async () => {
    const { ask } = openEmulator({ limits: { requests: 1 } })
    for (let times = 0; times < 3; times += 1) {
      const { status, headers } = await ask(viewer, {}, {})
      expect([status, headers.get('x-ratelimit-requests-remaining')]).toEqual([401, null])
    }
    expect((await ask(viewer)).status).toBe(200)
  })

  it('refuse further requests with 400 RATELIMITED', covers('limits/rate-limit', 'limits/error-extensions'), async () => {
    const { ask, pass, reset } = openEmulator({ limits: { requests: 2, points: 100 } })
    const limited = {
      status: 400,
      data: undefined,
      errors: [{ extensions: { code: 'RATELIMITED', type: 'ratelimited', statusCode: 429 } }],
    }
    await ask(viewer)
    await ask(viewer)
    expect(await ask(viewer)).toMatchObject(limited)
    pass(1_800_000)
    expect((await ask(viewer)).status).toBe(200)
    expect(await ask(viewer)).toMatchObject(limited)
    reset()
    expect(await ask('{ teams { nodes { id name key color description icon timezone } } }')).toMatchObject({ status: 200 })
    expect(await ask('{ teams { nodes { id name key color description icon timezone } } }')).toMatchObject(limited)
  })

  it('allow 10,000 points per operation', covers('limits/complexity-maximum', 'limits/complexity-unrounded'), async () => {
    const { ask } = openEmulator()
    const nested = (inner: number, outer = 250) =>
      `query Big($first: Int) { issues(first: ${outer}) { nodes { labels(first: $first) { nodes { name } } comments(first: ${inner}) { nodes { id } } } } }`
    expect((await ask(nested(1), { first: 30 })).status).toBe(200)
    const { status, data, errors } = await ask(nested(1), { first: 40 })
    expect([status, data]).toEqual([400, undefined])
    expect(errors[0]).toMatchObject({
      message: 'Query too complex',
      extensions: { type: 'invalid input', code: 'INPUT_ERROR', statusCode: 400, userError: true },
    })
    const unbounded = '{ issues(first: 250) { nodes { labels { nodes { name } } } } }'
    expect((await ask(unbounded)).errors[0]?.['message']).toBe('Query too complex')
    const exact = (root: string) =>
      `{ ${root} issues(first: 250) { nodes {
        labels(first: 30) { nodes { id name } } comments(first: 2) { nodes { id body url createdAt updatedAt } }
      } } }`
    expect((await ask(exact(''))).headers.get('x-complexity')).toBe('10000')
    expect((await ask(exact('__typename'))).errors[0]?.['message']).toBe('Query too complex')
    const skipped = '{ issues(first: 250) { nodes { id labels @include(if: false) { nodes { name } } } } }'
    expect((await ask(skipped)).headers.get('x-complexity')).toBe('275')
  })
})

describe('complexity', () => {
  it(
    'counts last like first, __typename and all fragments of an interface',
    covers('limits/complexity-page-info', 'limits/complexity-last'),
    async () => {
      const { ask } = openEmulator()
      const cost = async (query: string) => Number((await ask(query)).headers.get('x-complexity'))
      expect(await cost('{ teams(last: 100) { nodes { id } } }')).toBe(110)
      expect(await cost('{ teams(first: 100) { nodes { id __typename } } }')).toBe(120)
      const fragments = '... on IssueNotification { issueId } ... on ProjectNotification { projectId }'
      expect(await cost(`{ notifications(first: 100) { nodes { id ${fragments} } } }`)).toBe(130)
      expect(await cost('{ teams(first: 100) { nodes { id } pageInfo { hasNextPage } } }')).toBe(220)
    },
  )
})

describe('bad requests', () => {
  it.each([
    ['{ viewer { nme } }', {}, 'Cannot query field "nme" on type "User"', 'GRAPHQL_VALIDATION_FAILED'],
    ['{ viewer { name }', {}, 'Syntax Error', 'GRAPHQL_PARSE_FAILED'],
    ['query Q($id: String!) { issue(id: $id) { id } }', {}, '$id', 'BAD_USER_INPUT'],
    ['query Q($id: String!) { issue(id: $id) { id } }', { id: 5 }, '$id', 'BAD_USER_INPUT'],
    ['query A { viewer { id } } query B { viewer { id } }', {}, 'name of an operation', 'OPERATION_RESOLUTION_FAILURE'],
    ['query Q($f: IssueFilter) { issues(filter: $f) { nodes { id } } }', { f: { unknown: 1 } }, 'unknown', 'BAD_USER_INPUT'],
    [
      'mutation { issueRelationCreate(input: { issueId: "a", relatedIssueId: "b", type: blockedBy }) { success } }',
      {},
      'blockedBy',
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ])('%s %j', covers('graphql/bad-document'), async (...[query, variables, message, code]) => {
    const { status, data, errors } = await openEmulator().ask(query, variables)
    expect([status, data]).toEqual([400, undefined])
    expect(errors[0]).toMatchObject({ message: containing(message), extensions: { code } })
  })

  it('include documents that are too long', covers('graphql/document-length'), async () => {
    const { ask } = openEmulator()
    const long = (numbers: number) => `{ issues(first: 1, filter: { number: { in: [${'1 '.repeat(numbers)}] } }) { nodes { id } } }`
    expect((await ask(long(3_950))).status).toBe(200)
    const { status, errors } = await ask(long(4_001))
    expect([status, dig(errors[0], 'extensions.code')]).toEqual([400, 'GRAPHQL_PARSE_FAILED'])
  })

  it('include anything but a POST of JSON', covers('graphql/methods-and-paths'), async () => {
    const { fetch } = openEmulator()
    expect((await fetch('https://api.linear.app/graphql', { headers: key })).status).toBe(405)
    expect((await fetch('https://api.linear.app/other', { method: 'POST', headers: key })).status).toBe(404)
    for (const body of ['', 'x', '[]', '{}', '{"query":5}']) {
      expect((await fetch('https://api.linear.app/graphql', { method: 'POST', headers: key, body })).status).toBe(400)
    }
  })
})

describe('a missing entity', () => {
  it.each([
    'issue',
    'team',
    'project',
    'initiative',
    'cycle',
    'user',
    'comment',
    'attachment',
    'issueLabel',
    'workflowState',
    'notification',
  ])('of %s makes all data null', covers('graphql/not-found', 'graphql/not-found-extensions'), async (field) => {
    const { ask } = openEmulator()
    for (const id of [idOf('nothing'), 'ENG-999', 'Engineering']) {
      const { status, data, errors } = await ask(`query One($id: String!) { viewer { id } ${field}(id: $id) { id } }`, { id })
      expect([status, data, dig(errors[0], 'path')]).toEqual([200, null, [field]])
      expect(errors[0]).toMatchObject({
        message: containing('Entity not found: '),
        extensions: { type: 'invalid input', code: 'INPUT_ERROR', userError: true },
      })
    }
  })
})
