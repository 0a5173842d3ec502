import { randomBytes } from 'node:crypto'
import { freePort } from '../postgres/daemon.ts'
import { type IdentityProvider, type KnownPerson, startIdentityProvider } from '../people/identity-provider/identity-provider.ts'
import { openBrowser, type Page, type PersonBrowser } from '../people/person-browser.ts'
import { startBalancer } from '../cluster/nginx.ts'
import { startReplica, type Replica } from '../cluster/replica.ts'
import type { CompanyVendor, OpenCompanyVendor } from './vendors.ts'

/** A company whose people use one server, each as themselves. */
export interface Company extends AsyncDisposable {
  /** Address for clients; ends in `/mcp`. */
  readonly url: string
  readonly publicUrl: string
  readonly replicas: readonly Replica[]
  readonly identityProvider: IdentityProvider
  readonly vendor: CompanyVendor
  readonly people: readonly KnownPerson[]
  /** A person's access token, with every scope unless scopes are given. */
  readonly tokenOf: (person: KnownPerson, scopes?: readonly string[]) => string
  /** Follows a link from page to page, as a person does. Returns the last page. */
  readonly connect: (person: KnownPerson, url: string, browser?: PersonBrowser) => Promise<Page>
}

export interface CompanyOptions {
  /** The app's name. */
  readonly app: string
  readonly openVendor: OpenCompanyVendor
  readonly people: readonly KnownPerson[]
  /** The database shared by three replicas behind nginx; if absent, there is one process, which uses a file. */
  readonly store?: string
  readonly args?: readonly string[]
  /** True if the replicas issue the tokens. */
  readonly issuesTokens?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

/** This many people, each with a unique name, address and subject. */
export const peopleOf = (count: number): readonly KnownPerson[] =>
  Array.from({ length: count }, (_, index) => ({
    subject: `subject-${index}x`,
    name: `Person ${index}x`,
    email: `person-${index}x@lodestar.example`,
  }))

export const replicaCount = 3

export async function openCompany({
  app,
  openVendor,
  people,
  store,
  args = [],
  issuesTokens = false,
  environment = {},
}: CompanyOptions): Promise<Company> {
  await using stack = new AsyncDisposableStack()
  const identityProvider = stack.use(await startIdentityProvider({ people }))
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const vendor = stack.use(await openVendor(people, publicUrl))
  const replica = {
    app,
    args: ['--issuer', identityProvider.issuer, '--public-url', publicUrl, ...(issuesTokens ? ['--authorization-server'] : []), ...args],
    environment: {
      ...vendor.environment,
      MCP_TOOLKITS_SIGN_IN_CLIENT_ID: identityProvider.signInClient.id,
      MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: identityProvider.signInClient.secret,
      MCP_TOOLKITS_VAULT_KEYS: `tests:${randomBytes(32).toString('base64')}`,
      ...(store !== undefined && { MCP_TOOLKITS_STORE: store }),
      ...environment,
    },
  }
  const replicas: Replica[] = []
  // Started one after the other, because the first replica creates the tables.
  if (store === undefined) replicas.push(stack.use(await startReplica({ ...replica, port })))
  else {
    for (let index = 0; index < replicaCount; index += 1) replicas.push(stack.use(await startReplica(replica)))
    stack.use(
      await startBalancer(
        replicas.map((each) => each.port),
        port,
      ),
    )
  }
  const allScopes = ['read', 'write', 'delete'].map((permission) => `${app}:${permission}`)
  const resources = stack.move()
  return {
    ...{ publicUrl, replicas, identityProvider, vendor, people, url: `${publicUrl}/mcp` },
    tokenOf: ({ subject }, scopes = allScopes) => identityProvider.tokenFor(subject, { audience: `${publicUrl}/mcp`, scopes }),
    connect(person, url, browser = openBrowser()) {
      return browser.walk(url, (page) => {
        if (page.url.startsWith(identityProvider.issuer)) return { person: person.subject }
        const isOurs = page.url.startsWith(publicUrl) && !page.text.includes('name="key"')
        return isOurs ? {} : vendor.answerOf(person)
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
