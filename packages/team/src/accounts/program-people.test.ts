import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LogEntry } from '../../../server/src/mcp/log.ts'
import { createServerFor } from '../../../server/src/serve/library/create-server.ts'
import type { Server } from '../../../server/src/serve/library/server.ts'
import { account, guests, hotel, Reception } from '../../../server/test/serve/reception.ts'
import { teamOf } from '../index.ts'

/** A server for several people; `keys` holds each one's key. */
function open(keys: Map<string, unknown>, options: object = {}) {
  const reception = new Reception()
  const log: LogEntry[] = []
  const accountOf = (person: string) => Promise.resolve(keys.get(person))
  const program = { accountOf, fetch: hotel, log: (entry: LogEntry) => log.push(entry), ...options }
  const definition = guests(reception)
  const server = createServerFor({ ...definition, load: { ...definition.load, team: () => Promise.resolve(teamOf()) } }, program, account)
  onTestFinished(server.close)
  return { reception, log, server, as: (person: string) => clientOf(server, person) }
}

async function clientOf(server: Server, person: string) {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  onTestFinished(() => client.close())
  const fetch: Fetch = (url, init) => server.fetch(new Request(url, init), { person })
  await client.connect(new StreamableHTTPClientTransport(new URL('http://program/mcp'), { fetch }))
  return async (name = 'Greet') => {
    const { structuredContent, content } = await client.callTool({ name: `Guests_${name}`, arguments: {} })
    return structuredContent ?? JSON.stringify(content)
  }
}

describe('a server with accountOf', () => {
  it('acts for whom the program names, over one connection for each', async () => {
    const { reception, as } = open(
      new Map([
        ['anna', { apiKey: 'anna' }],
        ['ben', { apiKey: 'ben' }],
      ]),
    )
    const [anna, ben] = [await as('anna'), await as('ben')]
    const greetings = await Promise.all([anna(), ben(), anna(), ben()])
    const [toAnna, toBen] = [{ text: 'Welcome, anna' }, { text: 'Welcome, ben' }]
    expect(greetings).toEqual([toAnna, toBen, toAnna, toBen])
    expect(reception.connected).toHaveLength(2)
  })

  it('uses a new key from the next call on', async () => {
    const keys = new Map([['anna', { apiKey: 'old' }]])
    const { as } = open(keys)
    const anna = await as('anna')
    expect(await anna()).toEqual({ text: 'Welcome, old' })
    keys.set('anna', { apiKey: 'new' })
    expect(await anna()).toEqual({ text: 'Welcome, new' })
  })

  it.each<[unknown, string]>([
    [undefined, 'The application that embeds this server has no account for this person.'],
    [null, 'gave no usable account: accountOf must return an object, or undefined for a person without an account.'],
    ['key', 'accountOf must return an object'],
    [{}, 'give exactly one of apiKey.'],
    [{ apiKey: 7 }, 'apiKey must be a string.'],
    [{ apiKey: '' }, 'apiKey is set but empty.'],
    [{ key: 'secret-key' }, String.raw`there is no \\\"key\\\". Give apiKey, region.`],
  ])('explains an account that cannot be used: %j', async (given, message) => {
    const { as, reception } = open(new Map([['anna', given]]))
    const text = await (await as('anna'))()
    expect(text).toContain(message)
    expect(text).toContain(String.raw`\"code\":\"unauthenticated\"`)
    expect(text).not.toContain('secret-key')
    expect(reception.connected).toEqual([])
  })

  it('tells the program that accountOf failed, and the caller to repeat the call', async () => {
    const accountOf = () => {
      throw new Error('secret of the program')
    }
    const { as, log } = open(new Map(), { accountOf })
    const text = await (await as('anna'))()
    expect(text).toContain('could not say which account this person has. Make the call again.')
    expect(log).toContainEqual(expect.objectContaining({ level: 'error', message: 'account', problem: 'accountOf failed' }))
    expect(JSON.stringify([text, log])).not.toContain('secret')
  })

  it('names options of the program in errors, and no command', async () => {
    const { as } = open(new Map([['anna', { apiKey: 'k' }]]))
    const text = await (await as('anna'))('Refuse')
    expect(text).toContain('apiKey was refused.')
    expect(text).not.toContain('guests-mcp')
  })

  it('acts only for people who are named', async () => {
    const { server, reception } = open(new Map([['anna', { apiKey: 'k' }]]))
    const request = () => new Request('http://program/mcp', { method: 'POST', body: '{}' })
    await expect(server.fetch(request())).rejects.toThrow('fetch needs { person }')
    await expect(server.fetch(request(), { person: '' })).rejects.toThrow('must be a non-empty string')
    await expect(server.stdio()).rejects.toThrow('stdio serves one client')
    expect(reception.connected).toEqual([])
  })

  it('is the embedded default for all when that is chosen', async () => {
    const { as } = open(new Map(), { embedded: true })
    expect(await (await as('anna'))()).toEqual({ text: 'nobody' })
  })
})

it('a server with one account acts for no one else', async () => {
  const oneAccount: object = { apiKey: 'k' }
  const server = createServerFor(guests(new Reception()), oneAccount, account)
  onTestFinished(server.close)
  const request = new Request('http://program/mcp', { method: 'POST', body: '{}' })
  await expect(server.fetch(request, { person: 'anna' })).rejects.toThrow('only for a server that was created with accountOf')
})

it('a server takes one kind of account', () => {
  const both: object = { apiKey: 'k', accountOf: () => undefined }
  expect(() => createServerFor(guests(new Reception()), both, account)).toThrow(
    'createServer takes one account. Give only one of apiKey, accountOf.',
  )
  const wrong: object = { accountOf: { anna: 'k' } }
  expect(() => createServerFor(guests(new Reception()), wrong, account)).toThrow('The option accountOf must be a function.')
})
