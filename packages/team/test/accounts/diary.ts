import { type AccountConfig, openUpstream } from '@mcp-toolkits/server/account'
import { Unauthenticated } from '@mcp-toolkits/core/errors'
import { type CallContext, type Tool, toolkit, withUrlElicitation } from '@mcp-toolkits/core/tool'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { describeTool } from '@mcp-toolkits/server/testing'
import { type Connect, type ConnectOptions, defineServer, type ServerDefinition } from '../../../server/src/index.ts'
import { Gate, nothing, text } from '../../../server/test/stdio/echo-server.ts'
import { acme, acmeServer } from '../../../server/test/acme.ts'

/** A vendor that keeps a diary for each person, identified by their access token. */
export class DiaryHouse {
  readonly gate = new Gate()
  /** Each token's owner. */
  readonly tokens = new Map<string, string>()
  /** Each person's entries, by id. */
  readonly diaries = new Map<string, Map<string, string>>()
  /** Accepted refresh tokens, each with the access token it gives. */
  readonly refreshTokens = new Map<string, string>()
  /** Owners, in the order in which their connections to the house were opened and closed. */
  readonly opened: string[] = []
  readonly closed: string[] = []
  /** Called after an entry is written, before the call is answered. */
  onWritten: () => Promise<void> = () => Promise.resolve()

  /** Logs a person in. */
  admit(name: string): string {
    const token = `token-of-${name}`
    this.tokens.set(token, name)
    return token
  }

  readonly fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    if (pathname === '/token') return this.#refresh(new URLSearchParams(await request.text()))
    const person = this.tokens.get((request.headers.get('authorization') ?? '').replace('Bearer ', ''))
    if (person === undefined) return new Response('Who are you?', { status: 401 })
    if (request.method === 'GET') return new Response(person)
    const body = await request.text()
    const diary = this.diaries.get(person) ?? new Map<string, string>()
    this.diaries.set(person, diary.set(pathname.slice(1), body))
    await this.onWritten()
    return new Response(person)
  }

  #refresh(form: URLSearchParams): Response {
    const token = this.refreshTokens.get(form.get('refresh_token') ?? '')
    if (token === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    return Response.json({ access_token: token, token_type: 'bearer', expires_in: 3_600 })
  }
}

interface Diary {
  readonly gate: Gate
  readonly send: (method: 'GET' | 'POST', path: string, body?: string) => Promise<string>
  readonly connectLink: ConnectOptions['connectLink']
}

const defineTool = toolkit<Diary, 'read' | 'write'>()
const described = { title: 'T', description: 'D' } as const
const entry = nothing.extend({ text })

async function write(body: string, { send }: Diary, { operation }: CallContext) {
  const { uuid } = await operation.claim()
  return { id: uuid('entry'), person: await send('POST', `/${uuid('entry')}`, body) }
}

const tools: readonly Tool<Diary>[] = [
  defineTool({
    ...described,
    ...{ name: 'WhoAmI', effect: 'read', scopes: [], input: nothing, output: nothing.extend({ person: text }), example: {} },
    run: async (_, { send }) => ({ person: await send('GET', '/me') }),
  }),
  defineTool({
    ...described,
    ...{
      name: 'AddEntry',
      effect: 'create',
      scopes: ['write'],
      input: entry,
      output: nothing.extend({ id: text, person: text }),
      example: { text: 'Rain.' },
    },
    run: async ({ text: body }, diary, call) => write(body, diary, call),
  }),
  defineTool({
    ...described,
    ...{ name: 'Ponder', effect: 'read', scopes: [], input: nothing, output: nothing.extend({ person: text }), example: {} },
    async run(_, { gate, send }, { signal }) {
      await gate.pass('Ponder', signal)
      return { person: await send('GET', '/me') }
    },
  }),
  defineTool({
    ...described,
    ...{ name: 'Draft', effect: 'update', scopes: [], input: entry.partial(), output: nothing.extend({ person: text }), example: {} },
    writes: ({ text: body }) => body !== undefined,
    run: async (_, { send }) => ({ person: await send('GET', '/me') }),
  }),
  defineTool({
    ...described,
    ...{ name: 'ChoosePages', effect: 'read', scopes: [], input: nothing, output: nothing.extend({ url: text }), example: {} },
    async run(_, { connectLink }) {
      const link = await connectLink?.({ purpose: 'picker' })
      if (!link) throw new Unauthenticated('There is no page.')
      return withUrlElicitation({ url: link.url }, { url: link.url, message: 'Choose pages.' })
    },
  }),
]

const account: AccountConfig = {
  ...acme,
  server: 'diary',
  api: { url: 'https://diary.example', variable: 'DIARY_API_URL' },
  credentials: [{ variable: 'DIARY_TOKEN', noun: 'token', scheme: 'Bearer' }],
  provider: {
    ...acme.provider,
    endpoints: {
      authorization: 'https://diary.example/authorize',
      token: 'https://diary.example/token',
      revocation: 'https://diary.example/revoke',
    },
    scopes: { default: ['read', 'write'] },
  },
  scopeExempt: ['WhoAmI'],
}

/** A server for many people's diaries. */
export function diaryServer(house: DiaryHouse, more: Partial<ServerDefinition<Diary>> = {}): ServerDefinition<Diary> {
  const connect: Connect<Diary> = (settings, options = {}) => {
    const { owner = 'the operator' } = settings
    const upstream = openUpstream(account, settings, { fetch: house.fetch, ...options })
    if (!upstream) throw new Error('A person never gets the embedded default.')
    house.opened.push(owner)
    return Promise.resolve({
      ...(upstream.scopes && { scopes: upstream.scopes }),
      accountId: upstream.accountId,
      context: {
        gate: house.gate,
        send: async (method, path, body) =>
          (await upstream.fetch(`${upstream.url}${path}`, { method, ...(body !== undefined && { body }) })).text(),
        connectLink: options.connectLink,
      },
      status: () => Promise.resolve({}),
      async close() {
        house.closed.push(owner)
        await upstream.close()
      },
    })
  }
  return defineServer<Diary>({
    ...acmeServer,
    name: 'diary',
    title: 'Diary',
    prefix: 'Diary',
    vendor: 'the Diary House',
    account,
    listedTools: tools.map((tool) => describeTool(tool)),
    upstream: () => ({ kind: 'embedded' }),
    load: {
      tools: () => Promise.resolve(tools),
      connector: () => Promise.resolve({ connect, emulator: () => Promise.reject(new Error('There is none.')) }),
    },
    ...more,
  })
}

/** A grant, as stored, of someone with a diary. */
export function diaryGrant(token: string, scopes: readonly string[] = ['read', 'write']): string {
  const { endpoints } = account.provider
  return JSON.stringify({
    client_id: 'client',
    authorization_url: endpoints.authorization,
    token_url: endpoints.token,
    revocation_url: endpoints.revocation,
    api_url: account.api.url,
    identity: { account: 'The same for all' },
    scopes,
    access_token: token,
    refresh_token: `refresh-${token}`,
  })
}
