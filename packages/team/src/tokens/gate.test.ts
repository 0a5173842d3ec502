import type { ServerResponse } from 'node:http'
import { TokenIssuer } from '../../test/token-issuer.ts'
import { tokenMatrix } from '../../test/token-matrix.ts'
import { describe, expect, it } from 'vitest'
import { audience, callBody, type DeskRequest, openDesk } from '../../test/accounts/desk-server.ts'

const largeInBatch = 'A call that can take long or have a large result cannot be part of a batch. Send it on its own.'
const metadataUrl = 'https://desk.example/.well-known/oauth-protected-resource/mcp'
const everyScope = 'desk:read desk:write desk:delete'
const titles = tokenMatrix(await TokenIssuer.create(), { audience, scope: everyScope, now: Date.now }).map(({ title }) => title)

describe('a request with', () => {
  it.each(titles)('%s gets what it may', async (title) => {
    const { desk, tokens, clock, call } = await openDesk()
    const matrix = tokenMatrix(tokens, { audience, scope: everyScope, now: clock.now })
    const [found] = matrix.filter((each) => each.title === title)
    if (!found) throw new Error(`There is no case ${title}.`)
    const { status, headers, body } = await call('Toss', { token: await found.token() })
    expect(status).toBe(found.status)
    expect(desk.runs).toEqual(found.status === 200 ? ['Toss for ada'] : [])
    if (found.status === 200) return
    const challenge = headers['www-authenticate']
    // https://www.rfc-editor.org/rfc/rfc6750#section-3.1
    if (title === 'nothing') expect(challenge).not.toContain('error')
    else expect(challenge).toContain(`error="${found.status === 401 ? 'invalid_token' : 'insufficient_scope'}"`)
    expect(challenge).toContain(`scope="${everyScope}", resource_metadata="${metadataUrl}"`)
    expect(challenge).toContain(found.says ?? '')
    expect(JSON.parse(body)).toHaveProperty('error_description')
  })

  it.each([
    ['no token at all', '/mcp', {}],
    ['a token in the query', '/mcp?access_token=TOKEN', {}],
    ['another scheme', '/mcp', { authorization: 'Basic YWRhOnNlY3JldA==' }],
  ] as const)('%s is asked for one', async (_, path, headers) => {
    const { desk, call, token } = await openDesk()
    const answer = await call('Look', { path: path.replace('TOKEN', await token('ada', 'read')), headers })
    const challenge = `Bearer scope="${everyScope}", resource_metadata="${metadataUrl}"`
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge])
    expect(answer.body).toContain('The request has no token. Send one from https://id.example')
    expect(desk.runs).toEqual([])
  })
})

describe('the metadata', () => {
  it.each(['/mcp', '/mcp/work'])('of %s say which tokens are accepted', async (path) => {
    const { send } = await openDesk()
    const answer = await send('', { path: `/.well-known/oauth-protected-resource${path}`, method: 'GET' })
    expect([answer.status, answer.headers['access-control-allow-origin'], JSON.parse(answer.body)]).toEqual([
      200,
      '*',
      {
        resource: audience,
        resource_name: 'Desk',
        authorization_servers: ['https://id.example'],
        scopes_supported: everyScope.split(' '),
        bearer_methods_supported: ['header'],
      },
    ])
  })

  it('can be read by a client in a browser, and not be written', async () => {
    const { send } = await openDesk()
    const path = '/.well-known/oauth-protected-resource/mcp'
    const headers = { origin: 'https://client.example' }
    expect((await send('', { path, method: 'GET', headers })).status).toBe(200)
    expect((await send('', { path, method: 'OPTIONS', headers })).headers).toMatchObject({ 'access-control-allow-headers': '*' })
    expect((await send('{}', { path, headers })).status).toBe(405)
  })

  it('name only what the server offers', async () => {
    const { send, call, token } = await openDesk({ settings: { readOnly: true } })
    const answer = await send('', { path: '/.well-known/oauth-protected-resource/mcp', method: 'GET' })
    expect(JSON.parse(answer.body)).toMatchObject({ scopes_supported: ['desk:read'] })
    expect((await call('Look')).headers['www-authenticate']).toContain('scope="desk:read"')
    // Mark writes, which is refused here with any token.
    const mark = await call('Mark', { token: await token('ada', 'read') })
    expect([mark.status, mark.body]).toEqual([200, expect.stringContaining('read-only')])
  })
})

describe('a token that permits', () => {
  it.each([
    ['read', 'Look', 200],
    ['read', 'Put', 403],
    ['read', 'Mark', 403],
    ['read', 'Swap', 403],
    ['read', 'Toss', 403],
    ['write', 'Look', 200],
    ['write', 'Put', 200],
    ['write', 'Mark', 200],
    ['write', 'Swap', 403],
    ['write', 'Toss', 403],
    ['delete', 'Put', 200],
    ['delete', 'Swap', 200],
    ['delete', 'Toss', 200],
  ] as const)('%s and a call of %s: %i', async (permission, tool, status) => {
    const { desk, call, token } = await openDesk()
    expect((await call(tool, { token: await token('ada', permission) })).status).toBe(status)
    expect(desk.runs).toEqual(status === 200 ? [`${tool} for ada`] : [])
  })

  it('too little gets the scopes to ask for, with those that it has', async () => {
    const { call, token } = await openDesk()
    const put = await call('Put', { token: await token('ada', 'read') })
    expect(put.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", error_description="Desk_Put writes, which needs a token with the scope desk:write.", scope="desk:read desk:write", resource_metadata="${metadataUrl}"`,
    )
    const toss = await call('Toss', { token: await token('ada', 'write') })
    expect(toss.headers['www-authenticate']).toContain('Desk_Toss deletes, which needs a token with the scope desk:delete.')
    expect(toss.headers['www-authenticate']).toContain(`scope="${everyScope}"`)
    const swap = await call('Swap', { token: await token('ada', 'write') })
    expect(swap.body).toContain('Desk_Swap can delete or overwrite what is there, which needs a token with the scope desk:delete.')
  })

  it('only reads may call a tool that reads with these arguments', async () => {
    const { desk, call, token } = await openDesk()
    expect((await call('Mark', { token: await token('ada', 'read') }, 'preview')).status).toBe(200)
    expect(desk.runs).toEqual(['Mark for ada'])
  })

  it('only reads gets no batch in which one call writes', async () => {
    const { desk, send, token } = await openDesk()
    const batch = `[${callBody(1, 'Look')},${callBody(2, 'Put')}]`
    expect((await send(batch, { token: await token('ada', 'read') })).status).toBe(403)
    expect(desk.runs).toEqual([])
    expect((await send(batch, { token: await token('ada', 'write') })).status).toBe(200)
    expect(desk.runs.toSorted()).toEqual(['Look for ada', 'Put for ada'])
  })
})

describe('a call', () => {
  it.each([
    ['/mcp', 'default'],
    ['/mcp/work', 'work'],
    ['/mcp/default', 'default'],
  ])('at %s is for the profile %s', async (path, profile) => {
    const { call, token } = await openDesk()
    const { body } = await call('Look', { path, token: await token('ada', 'read') })
    expect(body).toContain(`ada ${profile}`)
  })

  it.each(['/mcp/a/b', '/mcp/.hidden', '/mcp/%2e%2e', `/mcp/${'x'.repeat(65)}`, '/other'])('at %s is not found', async (path) => {
    const { desk, call, token } = await openDesk()
    expect((await call('Look', { path, token: await token('ada', 'read') })).status).toBe(404)
    expect(desk.runs).toEqual([])
  })

  it.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an Origin of no host', { origin: 'null' }],
  ])('with %s is refused whatever its token', async (_, headers) => {
    const { desk, call, token } = await openDesk()
    expect((await call('Look', { token: await token('ada', 'read'), headers })).status).toBe(403)
    expect(desk.runs).toEqual([])
  })

  it('runs as its own person even if another request has started it', async () => {
    const perClient = { maxInFlight: 1, maxOfKind: { large: 1, long: 1 }, maxCost: Infinity, maxWaiting: 5, maxWaitingSize: Infinity }
    const { desk, call, token } = await openDesk({ limits: { perClient } })
    const [ada, grace] = [await token('ada', 'read'), await token('grace', 'read')]
    const first = call('Wait', { token: ada })
    await desk.gate.holds(1)
    // The same person in another profile waits for the first call.
    const second = call('Look', { token: ada, path: '/mcp/work' })
    expect((await call('Look', { token: grace })).body).toContain('grace default')
    desk.gate.release()
    expect((await first).body).toContain('ada default')
    expect((await second).body).toContain('ada work')
    expect(desk.runs).toEqual(['Look for grace', 'Wait for ada', 'Look for ada'])
  })
})

describe('limits of one person', () => {
  it('end that person’s requests, but not other people’s', async () => {
    const { desk, audited, call, send, token } = await openDesk({ rate: { requests: 3, seconds: 60 } })
    const [ada, grace] = [await token('ada', 'read'), await token('grace', 'read')]
    // A batch counts once per message.
    expect((await send(`[${callBody(1, 'Look')},${callBody(2, 'Look')}]`, { token: ada })).status).toBe(200)
    expect((await call('Look', { token: ada })).status).toBe(200)
    const { status, headers, body } = await call('Look', { token: ada })
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(JSON.parse(body)).toMatchObject({ error: { data: { code: 'rate_limited', retryable: true } } })
    expect((await call('Look', { token: grace })).status).toBe(200)
    expect(desk.runs).toHaveLength(4)
    await expect
      .poll(() => audited)
      .toMatchObject([...Array.from({ length: 3 }, () => ({ outcome: 'ok' })), { status: 429, subject: 'ada' }, { outcome: 'ok' }])
  })
})

describe('while the identity provider is down', () => {
  it('a request is answered 503 with the time to wait, and the server is not ready', async () => {
    const { desk, tokens, clock, call, send, token } = await openDesk()
    tokens.isDown = true
    const ada = await token('ada', 'read')
    const { status, headers, body } = await call('Look', { token: ada })
    expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '5', undefined])
    expect(JSON.parse(body)).toMatchObject({ error: { data: { code: 'unavailable', retryable: true, retry_after_seconds: 5 } } })
    const readiness = await send('', { path: '/readyz', method: 'GET' })
    expect(readiness.status).toBe(503)
    expect(readiness.body).toContain('"reason":"The identity provider cannot be reached')
    expect(desk.runs).toEqual([])
    tokens.isDown = false
    await clock.advance(1_000)
    expect((await send('', { path: '/readyz', method: 'GET' })).status).toBe(200)
    expect((await call('Look', { token: ada })).status).toBe(200)
  })

  it('a request whose key is known is answered', async () => {
    const { tokens, clock, call, token } = await openDesk()
    expect((await call('Look', { token: await token('ada', 'read') })).status).toBe(200)
    tokens.isDown = true
    await clock.advance(86_400_000)
    expect((await call('Look', { token: await token('grace', 'read') })).body).toContain('grace')
  })
})

describe('what is written about refused requests', () => {
  it('says who and why, and holds no token', async () => {
    const { entries, audited, call, token } = await openDesk()
    const ada = await token('ada', 'read')
    await call('Toss', { token: ada })
    await call('Look', { token: `${ada}x` })
    const problem = 'Desk_Toss deletes, which needs a token with the scope desk:delete.'
    await expect
      .poll(() => audited)
      .toMatchObject([
        { outcome: 'refused', status: 403, problem, subject: 'ada', client: 'client', tools: ['Toss'] },
        { outcome: 'refused', status: 401, problem: 'The signature of the token is wrong.' },
      ])
    const logged = entries.filter(({ message }) => message === 'refused')
    expect(logged).toMatchObject([{ status: 403, person: 'owner-of-ada', tools: ['Toss'] }, { status: 401 }])
    expect(JSON.stringify([entries, audited])).not.toContain(ada.split('.')[2])
  })

  it('names the OAuth error of the authorization server', async () => {
    const authorization = {
      isClientPath: (path: string) => path === '/oauth/token',
      answer: (_: unknown, response: ServerResponse, onError?: (error: string) => void) => {
        onError?.('invalid_grant')
        response.writeHead(400).end()
        return Promise.resolve()
      },
      pages: () => Promise.resolve(undefined),
    }
    const { audited, send } = await openDesk({ authorization })
    expect((await send('', { path: '/oauth/token' })).status).toBe(400)
    const problem = 'The authorization server has answered with the OAuth error invalid_grant.'
    await expect.poll(() => audited).toMatchObject([{ outcome: 'refused', status: 400, problem }])
  })

  it('is nothing about a call that runs, also without an audit', async () => {
    const { entries, call, token } = await openDesk({ hasAudit: false })
    const ada = await token('ada', 'read')
    await call('Look', { token: ada })
    await call('Toss', { token: ada })
    const refused = () => entries.filter(({ message }) => message === 'refused')
    await expect.poll(refused).toMatchObject([{ status: 403, tools: ['Toss'] }])
  })
})

describe('a service identity', () => {
  it('is not the same caller as a person with the same name, and appears in the audit log as a service', async () => {
    const { desk, tokens, clock, audited, call } = await openDesk()
    const claims = { sub: 'ada', aud: audience, scope: 'desk:read' }
    const [person, service] = [claims, { ...claims, client_id: 'ada' }].map((each) => tokens.sign(each, clock.now()))
    await call('Look', { token: (await person) ?? '' })
    await call('Look', { token: (await service) ?? '' })
    await call('Toss', { token: (await service) ?? '' })
    await expect.poll(() => audited).toHaveLength(3)
    expect(audited).toMatchObject([
      { subject: 'ada', client: 'client', outcome: 'ok' },
      { service: 'ada', client: 'ada', outcome: 'ok' },
      { service: 'ada', outcome: 'refused', status: 403 },
    ])
    expect(audited[1]).not.toHaveProperty('subject')
    expect(desk.runs).toEqual(['Look for ada', 'Look for ada'])
  })
})

describe('the audit', () => {
  const refusals: [string, string, number, string, DeskRequest?][] = [
    ['a body that is not JSON', '{"canary', 400, 'The body is not JSON.'],
    ['a body that is not of the protocol', '{"canary":1}', 400, 'The request does not follow the protocol.'],
    ['a body that is nested too deeply', '['.repeat(200), 400, 'The message nests lists and objects more than 140 levels deep.'],
    ['a body that is too large', `"canary${'x'.repeat(4 * 1024 * 1024)}"`, 413, 'The body is too large.'],
    ['a batch with a large result', `[${callBody(1, 'Look')},${callBody(2, 'Wait')}]`, 400, largeInBatch],
    [
      'an id that is too long',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(300)}","method":"ping"}`,
      400,
      'The id has 300 characters; at most 256 are allowed.',
    ],
    ['a method without a body', '', 405, 'The path does not accept this method.', { method: 'DELETE' }],
    ['a method that is none of the path', '', 405, 'The path does not accept this method.', { method: 'PUT' }],
    [
      'a client that accepts nothing',
      callBody(1, 'Look'),
      406,
      "The client does not accept any of the protocol's content types.",
      { headers: { accept: 'text/html' } },
    ],
    [
      'a body of another type',
      callBody(1, 'Look'),
      415,
      "The body's content type is not accepted.",
      { headers: { 'content-type': 'text/plain' } },
    ],
    ['another path', callBody(1, 'Look'), 404, 'There is nothing at this path.', { path: '/canary' }],
    ['another host', callBody(1, 'Look'), 403, 'The Host is not one of this server.', { headers: { host: 'canary.example' } }],
    [
      'another origin',
      callBody(1, 'Look'),
      403,
      'The Origin is not one of this server.',
      { headers: { origin: 'https://canary.example' } },
    ],
    ['a call without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, 'The call does not follow the protocol.'],
  ]

  it.each(refusals)('has %s once', async (...[, body, status, problem, request]) => {
    const { audited, send, call, token } = await openDesk()
    const ada = await token('ada', 'read')
    expect((await send(body, { token: ada, ...request })).status).toBe(status)
    await expect.poll(() => audited).toMatchObject([{ outcome: 'refused', status: status === 200 ? 400 : status, problem }])
    expect(JSON.stringify(audited)).not.toContain('canary')
    await call('Look', { token: ada })
    await expect.poll(() => audited).toHaveLength(2)
  })

  it('has each call of a batch once, also one that has no such form', async () => {
    const { audited, send, token } = await openDesk()
    const malformed = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"text":"canary"}}}'
    await send(`[${callBody(1, 'Look')},${callBody(2, 'Nothing')},${malformed}]`, { token: await token('ada', 'read') })
    await expect.poll(() => audited).toHaveLength(3)
    const lines = [{ tool: 'Look', outcome: 'ok' }, { outcome: 'unknown_tool' }, { outcome: 'refused', subject: 'ada' }]
    for (const line of lines) expect(audited).toContainEqual(expect.objectContaining(line))
    expect(JSON.stringify(audited)).not.toContain('canary')
  })

  it('has no probes, and nothing else that is neither a call nor refused', async () => {
    const { audited, send, call, token } = await openDesk()
    const ada = await token('ada', 'read')
    await send('', { path: '/healthz', method: 'GET' })
    await send('', { path: '/readyz', method: 'GET' })
    await send('', { path: '/.well-known/oauth-protected-resource/mcp', method: 'GET' })
    await send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { token: ada })
    await send('{"jsonrpc":"2.0","method":"notifications/initialized"}', { token: ada })
    await call('Look', { token: ada })
    await expect.poll(() => audited).toMatchObject([{ tool: 'Look', outcome: 'ok' }])
  })
})

describe('a page', () => {
  it('does not exist if all people act with one account', async () => {
    const { send } = await openDesk()
    for (const path of ['/accounts', '/connect/id', '/other']) {
      const { status, body } = await send('', { path, method: 'GET' })
      expect([status, body]).toEqual([404, JSON.stringify({ error: 'Not found. The server is at /mcp.' })])
    }
  })

  it('gets the form that a browser sends, at the public address', async () => {
    const pages = async (request: Request) =>
      request.url.startsWith('https://desk.example/connect/')
        ? new Response(`${request.method} ${request.url} ${await request.text()}`, {
            headers: [
              ['set-cookie', 'a=1'],
              ['set-cookie', 'b=2'],
            ],
          })
        : undefined
    const { send } = await openDesk({ pages })
    const answer = await send('agree=yes', { path: '/connect/id?x=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect([answer.status, answer.body]).toEqual([200, 'POST https://desk.example/connect/id?x=1 agree=yes'])
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect((await send('x'.repeat(70_000), { path: '/connect/id' })).status).toBe(413)
    const missing = await send('', { path: '/other', method: 'GET' })
    expect([missing.status, missing.body]).toEqual([
      404,
      JSON.stringify({ error: 'Not found. The server is at /mcp, and your connected accounts are at /accounts.' }),
    ])
    for (const method of ['PUT', 'DELETE', 'TRACE', 'OPTIONS']) {
      const refused = await send('', { path: '/connect/id', method })
      expect([refused.status, refused.headers.allow], method).toEqual([405, 'GET, HEAD, POST'])
    }
    expect((await send('', { path: '/connect/id', method: 'HEAD' })).status).toBe(200)
    expect((await send('', { path: '/connect/id', headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })
})
