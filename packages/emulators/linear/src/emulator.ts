import { createRouter, defineEmulator, type Emulator, type HasDatabase } from '@mcp-toolkits/emulator'
import { type Grants, type IssuedTokens, openGrants } from '@mcp-toolkits/emulator/oauth'
import type { Store, StoreClock } from '@mcp-toolkits/sqlite'
import { allScopes, authorizeRoutes, type LinearClient, localClient, type OAuthContext, tokenRoutes } from './auth.ts'
import { migrations, resolverOf } from './entities.ts'
import { answerGraphQL, answerOther, factsOf, type GraphQLEndpoint, operationOf } from './graphql/endpoint.ts'
import { createRateLimiters, type RateLimits } from './rate-limits.ts'
import { createReaders, deliveryTable, isSuspended, type LinearReaders, listPeople, mutationTable } from './readers.ts'
import { vendorPages } from './ids.ts'
import { linearRules } from './rules/index.ts'
import { viewerId } from './seed/seed-ids.ts'
import { type Additions, createAdditions } from './seed/additions.ts'
import type { LinearSeed } from './seed/schema.ts'
import { fillWorkspace, type LinearSeedName } from './seed/seeds.ts'
import { openWebhooks, type Webhooks } from './webhooks/sender.ts'

export interface LinearEmulatorOptions extends LinearSettings {
  /** Path of the database; in memory by default. */
  readonly file?: string
  /** A clock like `Date.now`. */
  readonly now?: () => number
  /** Clock for waits while another process has the database locked; the system clock by default. */
  readonly clock?: StoreClock
  /** A new workspace's content; `company` by default. A database with data keeps its data. */
  readonly seed?: LinearSeedName | LinearSeed
}

/** Behaviour of the emulated Linear. */
export interface LinearSettings {
  /** The personal API key; `lin_api_emulator` by default. */
  readonly apiKey?: string
  /** The OAuth access token; `lin_oauth_emulator` by default. */
  readonly accessToken?: string
  /** The access token's scopes; all by default. */
  readonly scopes?: readonly string[]
  /** An account's hourly limits; Linear's by default. */
  readonly limits?: Partial<RateLimits>
  /**
   * Target of URLs in results. `vendor`, the default: Linear's pages, in the form that programs expect; they are useless to people.
   * `workspace`: the emulator's pages while it listens; otherwise the URLs are empty.
   */
  readonly links?: 'vendor' | 'workspace'
  /** The OAuth applications; by default one for programs on this machine. */
  readonly clients?: readonly LinearClient[]
  /** Token lifetimes; Linear's by default. */
  readonly lifetimes?: Partial<Lifetimes>
  /** Hosts to which webhooks may be delivered, besides this machine: `hooks.example`, or `hooks.example:8443`. */
  readonly webhooksTo?: readonly string[]
}

/** Token lifetimes, in seconds. */
export interface Lifetimes {
  readonly accessToken: number
  /** Time that a refresh token remains usable after its first use. */
  readonly refreshGrace: number
}

export interface LoginOptions {
  /** The client for programs on this machine by default. */
  readonly clientId?: string
  /** All scopes by default. */
  readonly scopes?: readonly string[]
}

/** A local Linear. */
export interface LinearEmulator extends Emulator<LinearReaders>, Additions {
  /** Issues tokens to a person in the workspace, as consent would. */
  readonly login: (email: string, options?: LoginOptions) => Promise<IssuedTokens>
  /** Until a reset, returns 500 after the first of several mutations in a document, for operations that `when` accepts. */
  readonly failBetweenMutations: (when: (operation: string) => boolean) => void
}

/** https://linear.app/developers/oauth-2-0-authentication */
const vendorLifetimes: Lifetimes = { accessToken: 86_400, refreshGrace: 1800 }
const prefixes = { code: 'lin_code_', access: 'lin_oauth_', refresh: 'lin_refresh_' } as const

/** https://linear.app/developers/rate-limiting */
const vendorLimits = {
  key: { requests: 2500, points: 3_000_000 },
  oauth: { requests: 5000, points: 2_000_000 },
} as const

/** Emulates Linear's GraphQL API and OAuth over a small, persistent issue tracker. */
export const linearEmulator = (options: LinearEmulatorOptions = {}): LinearEmulator => openLinear(options)

interface OpenedLinear extends LinearEmulator, HasDatabase {
  readonly afterRestore: () => void
}

/** `linearEmulator`, with its tables. */
export function openLinear({ file, now = Date.now, clock, seed, limits, ...rest }: LinearEmulatorOptions): OpenedLinear {
  const {
    apiKey = 'lin_api_emulator',
    accessToken = 'lin_oauth_emulator',
    scopes = allScopes,
    clients = [localClient],
    lifetimes,
    webhooksTo = [],
    links = 'vendor',
  } = rest
  const rateLimiters = createRateLimiters({ key: { ...vendorLimits.key, ...limits }, oauth: { ...vendorLimits.oauth, ...limits } }, now)
  let opened: { readonly store: Store; readonly grants: Grants } | undefined
  let webhooks: Webhooks | undefined
  let isInterrupted: ((operation: string) => boolean) | undefined
  const withStore = <T>(work: (store: Store, grants: Grants) => T): T => {
    if (opened === undefined) throw new Error('The emulator is not open.')
    return work(opened.store, opened.grants)
  }
  const emulator = defineEmulator<LinearReaders>({
    service: 'Linear',
    ...(file !== undefined && { file }),
    ...(clock && { clock }),
    now,
    migrations,
    seed(store, time) {
      rateLimiters.refill()
      fillWorkspace(store, seed ?? 'company', time)
    },
    ...(typeof seed !== 'object' && { seedName: seed ?? 'company' }),
    ...(seed !== undefined && { seedLabel: typeof seed === 'string' ? `seed ${seed}` : 'given seed' }),
    onReset() {
      isInterrupted = undefined
    },
    rules: linearRules,
    operation: operationOf,
    facts: factsOf,
    storedBodies: ({ path }) => path === '/graphql',
    build({ store, workspaceUrl }) {
      const grants = openGrants(store, { now, prefixes, revokes: 'grant', ...vendorLifetimes, ...lifetimes })
      opened = { store, grants }
      const endpoint = {
        store,
        now,
        credentials: { apiKey, accessToken, scopes, viewerId, findToken: grants.findAccessToken, isSuspended: isSuspended(store) },
        rateLimiterOf: rateLimiters.of,
        webhooks: () => (webhooks ??= openWebhooks({ store, now, clock, webhooksTo, resolverOf })),
        ...addressesFrom(workspaceUrl, links),
        pages: links === 'vendor' ? () => vendorPages : workspaceUrl,
        isInterrupted: (operation: () => string) => isInterrupted?.(operation()) ?? false,
      }
      return {
        routes: routes(endpoint, { clients, grants, now, people: () => listPeople(store) }),
        readers: createReaders(store),
        tables: [mutationTable(store), deliveryTable(store)],
        workspace: async () => (await import('./pages/workspace.tsx')).linearWorkspace(store),
      }
    },
  })
  return {
    ...emulator,
    close() {
      webhooks?.close()
      return emulator.close()
    },
    afterRestore() {
      webhooks?.restored()
    },
    ...createAdditions(withStore, now),
    login: (email, { clientId = localClient.id, scopes: granted = allScopes } = {}) =>
      withStore((store, grants) => {
        const person = listPeople(store).find((each) => each.email === email)
        if (!person) throw new Error(`Nobody in the workspace has the email address ${email}.`)
        return grants.issue({ person: person.id, clientId, scopes: granted, offline: true })
      }),
    failBetweenMutations(when) {
      isInterrupted = when
    },
  }
}

/** Base addresses for URLs that a program requests without the emulator's `fetch`: where the emulator listens. */
function addressesFrom(workspaceUrl: () => string | undefined, links: LinearSettings['links']): Pick<GraphQLEndpoint, 'origin' | 'files'> {
  const origin = (sent: URL) => (sent.hostname === 'api.linear.app' ? new URL(workspaceUrl() ?? sent).origin : sent.origin)
  const isPage = (sent: URL) => links === 'workspace' && sent.port === ''
  return { origin, files: (sent) => (isPage(sent) ? (workspaceUrl() ?? sent.origin) : origin(sent)) }
}

function routes(endpoint: GraphQLEndpoint, oauth: OAuthContext) {
  const app = createRouter()
  app.post('/graphql', (context) => answerGraphQL(context.env.received, endpoint))
  app.all('/graphql', (context) => context.text('Method Not Allowed', 405, { allow: 'POST' }))
  app.route('/', authorizeRoutes(oauth))
  app.route('/', tokenRoutes(oauth))
  app.notFound((context) => answerOther(context.env.received, endpoint))
  return app
}
