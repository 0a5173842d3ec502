import {
  Client,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
  type ElicitRequestURLParams,
  type ElicitResult,
} from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { PassThrough } from 'node:stream'
import type { Caller } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpServerFactory } from '../../../server/src/mcp/mcp.ts'
import { serveStdio } from '../../../server/src/serve/stdio/serve.ts'
import { overStreams } from '../../../server/test/stdio/client-end.ts'
import { silent } from '../../../server/test/elicitation/post-server.ts'
import { withCaller } from '../../../server/src/mcp/calls/current-request.ts'
import { diaryGrant, DiaryHouse, diaryServer } from '../../test/accounts/diary.ts'
import { containing, openOffice } from '../../test/accounts/office.ts'

const page = 'https://diary.example/connect/secret-link-1'
const message = 'Diary asks for access to your Acme account. Open the page to allow it.'
const withPage = (url = page) => ({
  isError: true,
  content: [{ type: 'text', text: containing(`"next":{"url":"${url}"}`) }],
})
const hasDiaryOf = (person: string) => ({ structuredContent: { person } })

/** A person's reaction to a client's request to open a page. */
type Visitor = (request: ElicitRequestURLParams) => Promise<ElicitResult['action']>

interface ClientOptions {
  readonly visitor?: Visitor
  readonly capabilities?: ClientCapabilities
}

/** A server for many people, one of whom has not connected an account yet. */
async function open() {
  const house = new DiaryHouse()
  const clock = new ManualClock({ skipSleeps: false })
  const definition = diaryServer(house)
  const office = await openOffice(definition, { clock })
  const { toolbox, grant, links } = office
  const factory = mcpServerFactory(definition, toolbox, { key: new Uint8Array(32).fill(1) })
  const handler = createMcpHandler(factory)
  const fetchAs = (caller: Caller) => (url: string | URL | Request, init?: RequestInit) =>
    withCaller(caller, () => handler.fetch(new Request(url, init)))
  const newClient = (mode: 'legacy' | { pin: '2026-07-28' }, { visitor, capabilities = { elicitation: { url: {} } } }: ClientOptions) => {
    const visits: ElicitRequestURLParams[] = []
    const completed: string[] = []
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities })
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => void completed.push(params.elicitationId))
    if (visitor)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        if (!('url' in params)) throw new Error('This is no page.')
        visits.push(params)
        return { action: await visitor(params) }
      })
    onTestFinished(() => client.close())
    return { client, visits, completed }
  }
  const whoAmI = { name: 'Diary_WhoAmI', arguments: {} }
  return {
    ...office,
    house,
    clock,
    fetchAs,
    /** Connects a person's diary, as they would. */
    async connects(caller: Caller, link: string, scopes?: readonly string[]) {
      await grant(caller, diaryGrant(house.admit(caller.subject), scopes))
      links.end(link, 'done')
    },
    async overHttp(caller: Caller, options: ClientOptions, mode: 'legacy' | { pin: '2026-07-28' } = { pin: '2026-07-28' }) {
      const { client, visits } = newClient(mode, options)
      await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: fetchAs(caller) }))
      return { client, visits, call: () => client.callTool(whoAmI) }
    },
    /** A client of 2025-11-25 on a connection that carries requests to it. */
    async overStreams(caller: Caller, options: ClientOptions) {
      const { client, visits, completed } = newClient('legacy', options)
      const [input, output] = [new PassThrough(), new PassThrough()]
      serveStdio(definition, toolbox, { input, output, log: silent })
      // Records belong to the person who wrote them, so reads must run for the same person.
      const inPerson = <Result>(work: () => Promise<Result>) => withCaller(caller, work)
      await inPerson(() => client.connect(overStreams(output, input)))
      return { client, visits, completed, call: () => inPerson(() => client.callTool(whoAmI)) }
    },
  }
}

describe('a client of 2026-07-28', () => {
  it('has its person open the page, and the repeated call works', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const visitor: Visitor = async () => {
      await office.connects(anna, 'link-1')
      return 'accept'
    }
    const { call, visits } = await office.overHttp(anna, { visitor })
    expect(await call()).toMatchObject(hasDiaryOf('anna'))
    expect(visits).toMatchObject([{ mode: 'url', url: page, message }])
    expect(office.links.requests).toEqual([{ purpose: 'account', caller: anna }])
    expect(await call()).toMatchObject(hasDiaryOf('anna'))
    expect(visits).toHaveLength(1)
  })

  it('repeats the call while its person is still there, and gets the result when they have finished', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const { call } = await office.overHttp(anna, { visitor: () => Promise.resolve('accept') })
    const answer = call()
    await expect.poll(() => office.links.waits).toBe(1)
    await office.clock.advance(19_000)
    await office.connects(anna, 'link-1')
    expect(await answer).toMatchObject(hasDiaryOf('anna'))
  })

  it('gets the error with the same page when its person needs more than 20 seconds, and the next call works', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const { call, visits } = await office.overHttp(anna, { visitor: () => Promise.resolve('accept') })
    const answer = call()
    await expect.poll(() => office.links.waits).toBe(1)
    await office.clock.advance(20_000)
    expect(await answer).toMatchObject(withPage())
    expect([visits.length, office.links.requests.length]).toEqual([1, 1])
    await office.connects(anna, 'link-1')
    expect(await call()).toMatchObject(hasDiaryOf('anna'))
  })

  it('hears that the call waits, if it asked for progress', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const { client } = await office.overHttp(anna, { visitor: () => Promise.resolve('accept') })
    const reports: unknown[] = []
    const answer = client.callTool({ name: 'Diary_WhoAmI', arguments: {} }, { onprogress: (report) => reports.push(report) })
    await expect.poll(() => office.links.waits).toBe(1)
    await office.clock.advance(10_000)
    await office.connects(anna, 'link-1')
    expect(await answer).toMatchObject(hasDiaryOf('anna'))
    const said = { message: 'Waiting until the person has finished on the page.' }
    // The client itself has reported that it asked.
    expect(reports.slice(1)).toMatchObject([
      { ...said, progress: 0.001 },
      { ...said, progress: 0.002 },
    ])
  })

  it.each(['decline', 'cancel'] as const)('gets the error with the page at once when its person answers %s', async (action) => {
    const office = await open()
    const { call } = await office.overHttp(office.caller('anna'), { visitor: () => Promise.resolve(action) })
    expect(await call()).toMatchObject(withPage())
    expect(office.links.waits).toBe(0)
  })

  it('gets the error with the page when its person declines there', async () => {
    const office = await open()
    const visitor: Visitor = () => {
      office.links.end('link-1', 'declined')
      return Promise.resolve('accept')
    }
    const { call, visits } = await office.overHttp(office.caller('anna'), { visitor })
    expect(await call()).toMatchObject(withPage())
    expect([visits.length, office.links.requests.length]).toEqual([1, 1])
  })

  it('is asked for what is still missing, three times at most', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const visitor: Visitor = ({ url }) => {
      office.links.end(`link-${url.at(-1) ?? ''}`, 'done')
      return Promise.resolve('accept')
    }
    const { call, visits } = await office.overHttp(anna, { visitor })
    expect(await call()).toMatchObject(withPage(page.replace('1', '4')))
    expect(visits.map(({ url }) => url)).toEqual([1, 2, 3].map((round) => page.replace('1', String(round))))
  })

  it('gets a new page when the link has expired', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const visitor: Visitor = async ({ url }) => {
      if (url === page) office.links.end('link-1', 'expired')
      else await office.connects(anna, 'link-2')
      return 'accept'
    }
    const { call, visits } = await office.overHttp(anna, { visitor })
    expect(await call()).toMatchObject(hasDiaryOf('anna'))
    expect(visits.map(({ url }) => url)).toEqual([page, page.replace('1', '2')])
  })

  it.each([
    ['cannot ask', {}],
    ['asks with forms only', { elicitation: { form: {} } }],
  ])('gets the error with the page when it %s', async (_, capabilities) => {
    const office = await open()
    const { call, visits } = await office.overHttp(office.caller('anna'), { capabilities })
    expect(await call()).toMatchObject(withPage())
    expect(visits).toEqual([])
  })
})

describe('a client of 2025-11-25', () => {
  it('has its person open the page while the call waits', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const { call, visits, completed } = await office.overStreams(anna, {
      visitor: async () => {
        await office.connects(anna, 'link-1')
        return 'accept'
      },
    })
    expect(await call()).toMatchObject(hasDiaryOf('anna'))
    expect(visits).toMatchObject([{ mode: 'url', url: page, message, elicitationId: 'link-1' }])
    expect(completed).toEqual(['link-1'])
  })

  it('gets the error with the page when its person needs more than 20 seconds', async () => {
    const office = await open()
    const { call, completed } = await office.overStreams(office.caller('anna'), { visitor: () => Promise.resolve('accept') })
    const answer = call()
    await expect.poll(() => office.links.waits).toBe(1)
    await office.clock.advance(20_000)
    expect(await answer).toMatchObject(withPage())
    expect(completed).toEqual([])
  })

  it('gets the error with the page when its person declines', async () => {
    const office = await open()
    const { call } = await office.overStreams(office.caller('anna'), { visitor: () => Promise.resolve('decline') })
    expect(await call()).toMatchObject(withPage())
    expect(office.links.waits).toBe(0)
  })

  it('cannot be asked over HTTP, and gets the error with the page', async () => {
    const office = await open()
    const { call, visits } = await office.overHttp(office.caller('anna'), { visitor: () => Promise.resolve('accept') }, 'legacy')
    expect(await call()).toMatchObject(withPage())
    expect(visits).toEqual([])
  })
})

describe('the state that travels through the client', () => {
  const post = async (fetch: typeof globalThis.fetch, retry: object = {}, token = 'one') => {
    const name = 'Diary_WhoAmI'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    }
    const response = await fetch('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, ...retry, _meta } }),
    })
    return response.text()
  }

  it('belongs to the person, their client and their account, and not to the token', async () => {
    const office = await open()
    const anna = office.caller('anna')
    const asked = await post(office.fetchAs(anna))
    const requestState = /"requestState":"([^"]+)"/.exec(asked)?.[1]
    expect(requestState).toBeDefined()
    const retry = { requestState, inputResponses: { visit: { action: 'accept' } } }
    await office.connects(anna, 'link-1')
    const others = [office.caller('ben'), office.caller('anna', { clientId: 'another client' }), office.caller('anna', { profile: 'work' })]
    for (const other of others) expect(await post(office.fetchAs(other), retry)).toContain('invalid_request_state')
    expect([office.links.waits, office.house.opened]).toEqual([0, []])
    expect(await post(office.fetchAs(anna), retry, 'a fresh token')).toContain('"structuredContent":{"person":"anna"}')
  })
})
