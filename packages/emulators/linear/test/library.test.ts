import { describe, expect, it, onTestFinished, test as base } from 'vitest'
import { linearEmulator, type LinearEmulatorOptions } from '../src/library.ts'
import { type LinearFileContext, linearFileFixtures, linearFixtures } from '../src/vitest.ts'

function open(options: LinearEmulatorOptions = {}) {
  const linear = linearEmulator(options)
  onTestFinished(linear.close)
  const send = async (query: string, variables: object) => {
    const response = await linear.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: { authorization: 'lin_api_emulator', 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    return response.json()
  }
  const [first] = linear.store.issues()
  const rename = (title: string) =>
    send('mutation($id: String!, $title: String!) { issueUpdate(id: $id, input: { title: $title }) { success } }', {
      id: first?.['id'],
      title,
    })
  return { ...linear, send, rename, first }
}

const test = base.extend(linearFixtures({ seed: 'empty' }))
const fileTest = base.extend<LinearFileContext>(linearFileFixtures({ seed: 'empty' }))

describe('snapshots', () => {
  it('tell what has changed and put it back', async () => {
    const linear = open({ at: '2026-03-02T09:00:00Z' })
    linear.snapshot('before')
    linear.clock.advance(60_000)
    expect(await linear.rename('Renamed')).toMatchObject({ data: { issueUpdate: { success: true } } })
    linear.addTeam({ key: 'NEW', name: 'New' })
    linear.snapshot('after')
    const { issues, teams, mutations } = linear.diff('before', 'after')
    expect(issues).toMatchObject({ added: [], removed: [], changed: [{ row: { id: linear.first?.['id'], title: 'Renamed' } }] })
    expect(issues?.changed[0]?.changes).toMatchObject({
      title: { from: linear.first?.['title'], to: 'Renamed' },
      updatedAt: { to: '2026-03-02T09:01:00.000Z' },
    })
    expect([teams?.added.map(({ key }) => key), mutations?.added]).toEqual([['NEW'], [expect.objectContaining({ field: 'issueUpdate' })]])
    linear.restore('before')
    expect([linear.diff('before'), linear.store.issues()[0]?.['title']]).toEqual([{}, linear.first?.['title']])
    expect(linear.requests()).toHaveLength(1)
    expect(linear.diff('after')['teams']?.removed).toMatchObject([{ key: 'NEW' }])
    linear.restore('after')
    expect(linear.diff('after')).toEqual({})
  })

  it('leave out webhook deliveries', async () => {
    const linear = open({ at: '2026-03-02T09:00:00Z' })
    const input = { url: 'http://127.0.0.1:1/', allPublicTeams: true, resourceTypes: ['Issue'] }
    const webhook = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }'
    expect(await linear.send(webhook, { input })).toMatchObject({ data: { webhookCreate: { success: true } } })
    linear.snapshot('before')
    await linear.rename('Renamed')
    const { url } = await linear.listen()
    const deliveries = async (): Promise<unknown> => (await fetch(`${url}/__emulator/deliveries`)).json()
    const attempted = { deliveries: [{ event: 'Issue update', attempts: 1, status: 'pending' }] }
    await expect.poll(deliveries).toMatchObject(attempted)
    expect(Object.keys(linear.diff('before')).sort()).toEqual(['issues', 'mutations'])
    linear.restore('before')
    expect(await deliveries()).toMatchObject(attempted)
    expect(linear.diff('before')).toEqual({})
  })

  it('end deliveries to webhooks that they do not have', async () => {
    const linear = open({ at: '2026-03-02T09:00:00Z' })
    linear.snapshot('before')
    const input = { url: 'http://127.0.0.1:1/', allPublicTeams: true, resourceTypes: ['Issue'] }
    await linear.send('mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { success } }', { input })
    await linear.rename('Renamed')
    const { url } = await linear.listen()
    const deliveries = async (): Promise<unknown> => (await fetch(`${url}/__emulator/deliveries`)).json()
    await expect.poll(deliveries).toMatchObject({ deliveries: [{ attempts: 1, status: 'pending' }] })
    linear.restore('before')
    expect(await deliveries()).toEqual({ deliveries: [] })
  })

  it('outlive a reset, and can be replaced', async () => {
    const linear = open()
    await linear.rename('Renamed')
    linear.snapshot('state')
    linear.reset()
    expect(linear.store.issues()[0]?.['title']).toBe(linear.first?.['title'])
    linear.restore('state')
    expect(linear.store.issues()[0]?.['title']).toBe('Renamed')
    linear.reset()
    linear.snapshot('state')
    expect(linear.diff('state')).toEqual({})
  })

  it('are known by name', () => {
    const linear = open({ seed: 'empty' })
    expect(() => {
      linear.restore('x')
    }).toThrow('There is no snapshot called "x". No snapshot has been made.')
    linear.snapshot('y')
    expect(() => linear.diff('y', 'x')).toThrow('There is no snapshot called "x". There are: "y".')
  })
})

describe('over HTTP', () => {
  /** Sends a request to the emulator's own routes, with its own token by default. */
  async function listening(at = '2026-03-02T09:00:00Z') {
    const linear = open({ at })
    const { url, controlToken: token } = await linear.listen()
    const call = async (request: string, { body, authorization = `Bearer ${token}` }: { body?: unknown; authorization?: string } = {}) => {
      const [method = '', path = ''] = request.split(' ')
      const init = { method, headers: { authorization }, ...(body !== undefined && { body: JSON.stringify(body) }) }
      const response = await fetch(`${url}/__emulator/${path}`, init)
      const answer: unknown = await response.json()
      return [response.status, answer] as const
    }
    return { ...linear, call }
  }

  it('snapshots are made, compared and restored', async () => {
    const linear = await listening()
    expect(await linear.call('POST snapshots/before%20it')).toEqual([200, { snapshot: 'before it' }])
    await linear.rename('Renamed')
    expect(await linear.call('POST snapshots/after')).toEqual([200, { snapshot: 'after' }])
    const changed = [200, { diff: { issues: { changed: [{ row: { title: 'Renamed' } }] } } }]
    expect(await linear.call('GET snapshots/before%20it/diff')).toMatchObject(changed)
    expect(await linear.call('POST snapshots/before%20it/restore')).toEqual([200, { snapshot: 'before it' }])
    expect(linear.store.issues()[0]?.['title']).toBe(linear.first?.['title'])
    expect(await linear.call('GET snapshots/before%20it/diff')).toEqual([200, { diff: {} }])
    expect(await linear.call('GET snapshots/before%20it/diff?to=after')).toMatchObject(changed)
    const unknown = [404, { error: 'There is no snapshot called "x". There are: "before it", "after".' }]
    expect(await linear.call('POST snapshots/x/restore')).toEqual(unknown)
    expect(await linear.call('GET snapshots/x/diff')).toEqual(unknown)
  })

  it('the clock is set, advanced, and reset with the data', async () => {
    const linear = await listening()
    const at = (time: string) => [200, { at: time }]
    expect(await linear.call('PUT clock', { body: { at: '2027-01-01' } })).toEqual(at('2027-01-01T00:00:00.000Z'))
    expect(await linear.call('PUT clock', { body: { advance: 60_000 } })).toEqual(at('2027-01-01T00:01:00.000Z'))
    await linear.rename('Later')
    expect(linear.store.issues()[0]).toMatchObject({ updatedAt: '2027-01-01T00:01:00.000Z' })
    expect(await linear.call('POST reset')).toEqual([200, {}])
    expect(await linear.call('GET clock')).toEqual(at('2026-03-02T09:00:00.000Z'))
    await linear.call('PUT clock', { body: { advance: 1 } })
    expect(await linear.call('DELETE clock')).toEqual(at('2026-03-02T09:00:00.000Z'))
    expect(await linear.call('PUT clock', { body: { at: 'soon' } })).toEqual([
      400,
      { error: '"soon" is not a time. Give a date, epoch milliseconds, or ISO 8601.' },
    ])
    expect(await linear.call('PUT clock', { body: { by: 1 } })).toEqual([
      400,
      { error: 'Send {"at": "2026-03-02T09:00:00Z"} or, to advance the clock, {"advance": 60000}, in milliseconds.' },
    ])
    expect(await linear.call('PUT clock', { body: { advance: 8.64e15 } })).toMatchObject([400, {}])
  })

  it.for(['POST snapshots/x', 'POST snapshots/x/restore', 'GET snapshots/x/diff', 'GET clock', 'PUT clock', 'DELETE clock'])(
    '%s needs the token',
    async (request) => {
      const linear = await listening()
      const answer = await linear.call(request, { authorization: 'Bearer another', ...(request.startsWith('PUT') && { body: {} }) })
      expect(answer).toMatchObject([401, {}])
      expect(linear.clock.now()).toBe(Date.parse('2026-03-02T09:00:00Z'))
    },
  )
})

it('takes only hosts for webhooks', () => {
  expect(() => linearEmulator({ webhooksTo: ['hooks.example', 'a b'] })).toThrow('webhooksTo: "a b" is not a host.')
})

describe('the clock', () => {
  it('decides the times of data and requests, until it is reset', async () => {
    const linear = open({
      seed: {
        organization: 'Loom',
        viewer: 'Ada',
        users: [{ name: 'Ada' }],
        teams: [{ key: 'ENG', name: 'Engineering', members: ['Ada'] }],
        issues: [{ id: 'ENG-1', title: 'One', createdAt: 1 }],
      },
      at: '2026-03-02T09:00:00Z',
    })
    expect(linear.first).toMatchObject({ createdAt: '2026-03-01T09:00:00.000Z' })
    linear.clock.set(new Date('2027-01-01T00:00:00Z'))
    await linear.rename('Later')
    expect(linear.store.issues()).toMatchObject([{ updatedAt: '2027-01-01T00:00:00.000Z' }])
    expect(linear.requests()).toMatchObject([{ at: '2027-01-01T00:00:00.000Z', path: '/graphql', status: 200 }])
    linear.reset()
    expect(new Date(linear.clock.now()).toISOString()).toBe('2026-03-02T09:00:00.000Z')
    expect(() => {
      linear.clock.set('soon')
    }).toThrow('"soon" is not a time')
  })
})

it('opens no consent page beyond loopback, whatever Host a request names', async () => {
  const linear = open({ seed: 'empty' })
  const query = new URLSearchParams({
    client_id: 'lodestar-desktop',
    redirect_uri: 'http://127.0.0.1/callback',
    response_type: 'code',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  const [near, far] = [await linear.listen(), await linear.listen({ host: '0.0.0.0', controlToken: 'secret' })]
  const statuses = await Promise.all([near, far].map(async ({ url }) => (await fetch(`${url}/oauth/authorize?${query.toString()}`)).status))
  expect([new URL(far.url).hostname, statuses]).toEqual(['127.0.0.1', [200, 403]])
})

it('refuses a seed that does not fit', () => {
  expect(() => linearEmulator({ seed: { issues: [{ title: 3 }] } })).toThrow(/^[a-z.[\]0-9]+: Invalid input/)
})

describe('the fixtures', () => {
  const used = new Set<unknown>()

  test.for([1, 2])('open an emulator for each test: %i', (count, { linear }) => {
    expect(linear.store.issues()).toHaveLength(0)
    linear.addIssues(3)
    used.add(linear.fetch)
    expect([linear.store.issues().length, used.size]).toEqual([3, count])
  })

  fileTest.for([1, 2])('reset the one of the file before each test: %i', (_, { linear, linearOfFile }) => {
    expect([linear.store.issues().length, linear]).toEqual([0, linearOfFile])
    linear.addIssues(3)
    used.add(linear.fetch)
    expect([linear.store.issues().length, used.size]).toEqual([3, 3])
  })
})
