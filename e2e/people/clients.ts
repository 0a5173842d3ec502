import { type KnownPerson, openBrowser } from '@mcp-toolkits/testing/people'
import { member, parseJson } from '@mcp-toolkits/core/base'
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as V1StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Company } from '../../packages/testing/src/company/company.ts'

/** The redirect URL; nothing listens there. */
export const redirectUrl = 'http://127.0.0.1:33333/callback'

export interface Called {
  readonly isError: boolean
  /** The structured result, or the error. */
  readonly data: unknown
}

/** A client that signs the person in when the server requires it. */
export interface PersonsClient extends AsyncDisposable {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Called>
  /** The scopes of each sign-in, in order. */
  readonly signIns: readonly string[]
  /** The pages that calls have asked the person to open. */
  readonly opened: readonly string[]
}

export interface PersonsClientOptions {
  readonly company: Company
  readonly person: KnownPerson
  /** The access token to begin with. */
  readonly token?: string
  /** The way to register the client; absent if the identity provider already knows it. */
  readonly registration?: { readonly documentUrl: string } | 'dynamic'
  /** Opens the pages that calls ask for; without it, the client cannot open any. */
  readonly openUrl?: (url: string) => Promise<unknown>
}

type Connect = (options: PersonsClientOptions) => Promise<PersonsClient>

export const identity = { name: 'people', version: '1' }

/** The official clients, with each way to negotiate. */
export const personsClients = {
  'client 2, 2026-07-28': connectV2({ pin: '2026-07-28' }),
  'client 2, legacy': connectV2('legacy'),
  'client 1': connectV1,
} as const satisfies Readonly<Record<string, Connect>>

type ClientInformation = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>

type Discovery = Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]

/** The storage of an OAuth client, in a form that both generations of clients accept. */
function signInOf({ company, person, token, registration }: PersonsClientOptions) {
  let information: ClientInformation = registration === undefined ? { client_id: company.identityProvider.mcpClient.id } : undefined
  const browser = openBrowser({ stopsAt: (url) => url.startsWith(redirectUrl) })
  const signIns: string[] = []
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>> =
    token === undefined ? undefined : { access_token: token, token_type: 'Bearer' }
  let verifier = ''
  let discovered: Discovery | undefined
  let answer: URLSearchParams | undefined
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: identity.name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    ...(typeof registration === 'object' && { clientMetadataUrl: registration.documentUrl }),
    clientInformation: () => information,
    saveClientInformation(next: NonNullable<ClientInformation>) {
      information = next
    },
    tokens: () => tokens,
    saveTokens(next: NonNullable<typeof tokens>) {
      tokens = next
    },
    saveCodeVerifier(next: string) {
      verifier = next
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state: Discovery) {
      discovered = state
    },
    discoveryState: () => discovered,
    async redirectToAuthorization(url: URL) {
      signIns.push(url.searchParams.get('scope') ?? '')
      const page = await browser.walk(url.href, () => ({ person: person.subject }))
      answer = new URL(page.url).searchParams
    },
  }
  /** Runs `work`, and repeats it after a sign-in if one was needed. */
  const withSignIn = async <T>(work: () => Promise<T>, finish: (answer: URLSearchParams) => Promise<void>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const given = answer
      answer = undefined
      if (!given) throw error
      await finish(given)
      return work()
    }
  }
  return { provider, signIns, withSignIn }
}

export function resultOf({ isError, structuredContent, content }: Record<string, unknown>): Called {
  if (isError !== true) return { isError: false, data: structuredContent }
  const text = Array.isArray(content) ? member(content[0], 'text') : undefined
  return { isError: true, data: member(parseJson(String(text)), 'error') }
}

function connectV2(mode: 'legacy' | { readonly pin: string }): Connect {
  return async (options) => {
    const { provider, signIns, withSignIn } = signInOf(options)
    const opened: string[] = []
    const { openUrl } = options
    const newTransport = () => new StreamableHTTPClientTransport(new URL(options.company.url), { authProvider: provider })
    let transport = newTransport()
    let client: Client | undefined
    const connect = async () => {
      client = new Client(identity, { versionNegotiation: { mode }, ...(openUrl && { capabilities: { elicitation: { url: {} } } }) })
      if (openUrl) {
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          if (!('url' in params)) throw new Error('This client only opens pages.')
          opened.push(params.url)
          await openUrl(params.url)
          return { action: 'accept' }
        })
      }
      await client.connect(transport)
      return client
    }
    const finish = async (answer: URLSearchParams) => {
      await transport.finishAuth(answer)
    }
    const finishFirst = async (answer: URLSearchParams) => {
      await finish(answer)
      transport = newTransport()
    }
    const connected = await withSignIn(connect, finishFirst)
    return {
      signIns,
      opened,
      call: async (name, args) => resultOf({ ...(await withSignIn(() => connected.callTool({ name, arguments: args }), finish)) }),
      [Symbol.asyncDispose]: () => connected.close(),
    }
  }
}

async function connectV1(options: PersonsClientOptions): Promise<PersonsClient> {
  const { provider, signIns, withSignIn } = signInOf(options)
  const newTransport = () => new V1StreamableHTTPClientTransport(new URL(options.company.url), { authProvider: provider })
  let transport = newTransport()
  const connect = async () => {
    const client = new V1Client(identity)
    await client.connect(transport)
    return client
  }
  const finish = (answer: URLSearchParams) => transport.finishAuth(answer.get('code') ?? '')
  const connected = await withSignIn(connect, async (answer) => {
    await finish(answer)
    transport = newTransport()
  })
  return {
    signIns,
    opened: [],
    call: async (name, args) => resultOf({ ...(await withSignIn(() => connected.callTool({ name, arguments: args }), finish)) }),
    [Symbol.asyncDispose]: () => connected.close(),
  }
}
