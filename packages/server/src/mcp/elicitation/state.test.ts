import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { serveHttp } from '../../serve/http/server.ts'
import { mcpServerFactory } from '../mcp.ts'
import { settings } from '../../../test/stdio/echo-server.ts'
import { PostOffice, postServer, postToolbox, silent } from '../../../test/elicitation/post-server.ts'

const revision = '2026-07-28'
const letter = { to: 'Anna Berg', copies: ['Carla Diaz'] }
const answer = { action: 'accept', content: { to: 'anna-2' } }

interface Posted {
  readonly tool?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly caller?: string
  readonly requestState?: unknown
  readonly inputResponses?: unknown
}

/** A server process, which callers cannot tell from another. */
function replica(office = new PostOffice()) {
  const definition = postServer(office)
  const handler = createMcpHandler(mcpServerFactory(definition, postToolbox(definition, settings)))
  return posting((request) => handler.fetch(request))
}

/** The same, on a port of this machine. */
async function listening(stateKey: Uint8Array) {
  const definition = postServer(new PostOffice())
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], log: silent, stateKey }
  const { url, drain } = await serveHttp(definition, postToolbox(definition, settings), options)
  return { post: posting(fetch, url), [Symbol.asyncDispose]: drain }
}

function posting(fetch: (request: Request) => Promise<Response>, url = 'http://localhost/mcp') {
  return async ({ tool = 'SendLetter', args = letter, caller = 'Bearer one', ...retry }: Posted = {}) => {
    const name = `Post_${tool}`
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    }
    const request = new Request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': 'tools/call',
        'mcp-name': name,
        authorization: caller,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...retry, _meta } }),
    })
    const body: unknown = await (await fetch(request)).json()
    return body
  }
}

/** The state in an unfinished result. */
function stateIn(body: unknown): string {
  const state = /"requestState":"([^"]+)"/.exec(JSON.stringify(body))?.[1]
  if (state === undefined) throw new Error(`There is no state: ${JSON.stringify(body)}`)
  return state
}

/** A question asked once, and a function to come back with its state. */
async function asked(office = new PostOffice()) {
  const post = replica(office)
  const state = stateIn(await post())
  const back = (posted: Posted = {}) => post({ requestState: state, inputResponses: { choice: answer }, ...posted })
  return { office, state, back }
}

const done = { result: { resultType: 'complete', structuredContent: { to: 'anna-2', copies: ['carla'] } } }
const refused = { error: { code: -32602, data: { reason: 'invalid_request_state' } } }

describe('the state of a question', () => {
  it('comes back with an answer, and the call runs', async () => {
    const { office, back } = await asked()
    expect(await back()).toMatchObject(done)
    expect(office).toEqual({ runs: 2, sent: [{ to: 'anna-2', copies: ['carla'] }] })
  })

  it('holds the question and the error for an unanswered one, but not the caller', async () => {
    const { state } = await asked()
    const [, body = ''] = state.split('.')
    const told = Buffer.from(body, 'base64url').toString()
    const lasting = told.replace(/(?<="(call|b)":")[\w-]{22,43}(?=")/g, 'tag').replace(/(?<="(until|exp)":)\d+/g, '1')
    const message =
      '"Anna Berg" (to) is the name of more than one person: "Anna Berg" (anna@acme.example), "Anna Berg" (a.berg@acme.example).'
    expect(JSON.parse(lasting)).toEqual({
      p: {
        call: 'tag',
        round: 1,
        fields: [{ name: 'to', parameter: 'to', given: 'Anna Berg', ids: ['anna-1', 'anna-2'] }],
        chosen: [],
        refusal: {
          code: 'ambiguous',
          message: `${message} Give the id of the one that is meant.`,
          retryable: false,
          suggestions: [
            { value: 'Anna Berg', id: 'anna-1', parameter: 'to', confidence: 1 },
            { value: 'Anna Berg', id: 'anna-2', parameter: 'to', confidence: 1 },
          ],
        },
        until: 1,
      },
      exp: 1,
      b: 'tag',
    })
  })

  it('belongs to the same arguments, in any order', async () => {
    const { back } = await asked()
    expect(await back({ args: { copies: letter.copies, to: letter.to } })).toMatchObject(done)
  })

  it.each<[string, Posted]>([
    ['with other arguments', { args: { to: 'Anna Berg', copies: ['ben-000001'] } }],
    ['with fewer arguments', { args: { to: 'Anna Berg' } }],
    ['with another tool', { tool: 'Hesitate' }],
    ['by another caller', { caller: 'Bearer two' }],
    ['as a number', { requestState: 7 }],
    ['empty', { requestState: '' }],
    ['without a signature', { requestState: 'v1.e30' }],
  ])('is refused %s, and nothing runs', async (_, posted) => {
    const { office, back } = await asked()
    expect(await back(posted)).toMatchObject(refused)
    expect(office).toEqual({ runs: 1, sent: [] })
  })

  it('is refused after any change to it', async () => {
    const { office, state, back } = await asked()
    const [version = '', body = '', signature = ''] = state.split('.')
    const told = Buffer.from(body, 'base64url').toString()
    const forged = [
      [version, Buffer.from(told.replace('anna-2', 'carla1')).toString('base64url'), signature],
      [version, Buffer.from(told.replace('"round":1', '"round":0')).toString('base64url'), signature],
      [version, Buffer.from(told.replace(/"exp":\d+/, '"exp":99999999999')).toString('base64url'), signature],
      [version, body, Buffer.alloc(32).toString('base64url')],
      [version, body, ''],
      ['v2', body, signature],
    ].map((parts) => parts.join('.'))
    expect(forged).not.toContain(state)
    for (const requestState of forged) expect(await back({ requestState })).toMatchObject(refused)
    expect(office).toEqual({ runs: 1, sent: [] })
  })

  it('without an answer gives the error with its suggestions, and nothing runs', async () => {
    const { office, back } = await asked()
    for (const inputResponses of [undefined, {}, { choice: {} }, { choice: 'anna-2' }, { other: answer }]) {
      expect(await back({ inputResponses })).toMatchObject({ result: { isError: true } })
    }
    expect(office).toEqual({ runs: 1, sent: [] })
  })

  it('cannot be left out: an answer without a question is ignored', async () => {
    const office = new PostOffice()
    const post = replica(office)
    expect(await post({ inputResponses: { choice: answer } })).toMatchObject({ result: { resultType: 'input_required' } })
    expect(office).toEqual({ runs: 1, sent: [] })
  })

  it('is valid for the process that asked, and for other processes only with the same key', async () => {
    const { state } = await asked()
    const retry = { inputResponses: { choice: answer } }
    expect(await replica()({ ...retry, requestState: state })).toMatchObject(refused)
    await using first = await listening(new Uint8Array(32).fill(7))
    await using second = await listening(new Uint8Array(32).fill(7))
    await using stranger = await listening(new Uint8Array(32).fill(8))
    const requestState = stateIn(await first.post())
    expect(await second.post({ ...retry, requestState })).toMatchObject(done)
    expect(await second.post({ ...retry, requestState, caller: 'Bearer two' })).toMatchObject(refused)
    expect(await stranger.post({ ...retry, requestState })).toMatchObject(refused)
  })
})
