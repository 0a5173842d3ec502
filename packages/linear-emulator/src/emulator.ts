import { defineEmulator, type Emulator, type Exchange, type Listing, type ReceivedRequest, type JsonObject } from '@mcp-toolkits/emulator'
import { openGrants, type Grants } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/store'
import { Hono } from 'hono'
import { allScopes, authenticate, authorizeRoutes, type Credentials, localClient, type OAuthClient, tokenRoutes } from './auth.ts'
import { createRateLimiter, type RateLimiter, type RateLimits } from './rate-limits.ts'
import { migrations, entityTypes } from './entities/index.ts'
import { createReaders, listMutations, latestMutations, type LinearReaders } from './readers.ts'
import { LinearError } from './errors.ts'
import { parseCall, factsOf, operationOf } from './graphql/endpoint.ts'
import { addIssues, addTeam, addUser, type NewTeam, type NewUser, seedWorkspace } from './seed/index.ts'
import { seedEmpty, viewerId } from './seed/empty.ts'
import { linearRules } from './rules.ts'
import { openSession } from './store/session.ts'

export interface LinearEmulatorOptions {
  /** Path of the database; in memory when absent. */
  readonly file?: string
  /** The clock, as `Date.now`. */
  readonly now?: () => number
  /** What a new workspace holds: a believable team's work, or one team without any. */
  readonly seed?: 'workspace' | 'empty'
  /** The personal API key that is accepted: `lin_api_emulator` when absent. */
  readonly apiKey?: string
  /** The OAuth access token that is accepted: `lin_oauth_emulator` when absent. */
  readonly accessToken?: string
  /** What the access token may do; everything when absent. */
  readonly scopes?: readonly string[]
  /** What the account may ask for in an hour; Linear's limits when absent. */
  readonly limits?: Partial<RateLimits>
  /** The applications that may ask a person for access; one for programs on this machine when absent. */
  readonly clients?: readonly OAuthClient[]
  /** How long what they are given is good; as at Linear when absent. */
  readonly lifetimes?: Partial<Lifetimes>
}

/** How long secrets are good: linear.md §3.6. */
export interface Lifetimes {
  /** Of an access token, in seconds. */
  readonly accessToken: number
  /** How long after its use a refresh token may be used again, in seconds. */
  readonly refreshGrace: number
}

/** Linear on this machine. */
export interface LinearEmulator extends Emulator<LinearReaders> {
  /** Adds issues to the first team, many at once; for tests of size. */
  readonly addIssues: (count: number) => void
  /** Adds a team and returns its id; for tests of what the seed has none of. */
  readonly addTeam: (team: NewTeam) => string
  /** Adds a person or an app and returns the id. */
  readonly addUser: (user: NewUser) => string
  /**
   * From now on, a document of several mutations for which `when` holds is answered with 500 once the first of them has taken
   * effect. `when` is told the operation, as chaos is, once for every attempt.
   */
  readonly cutBetweenMutations: (when: (operation: string) => boolean) => void
}

/** A day, and half an hour: linear.md §3.6. */
const vendorLifetimes: Lifetimes = { accessToken: 86_400, refreshGrace: 1800 }
const prefixes = { code: 'lin_code_', access: 'lin_oauth_', refresh: 'lin_refresh_' } as const

/** Per hour: linear.md §3.2. */
const vendorLimits = {
  key: { requests: 2500, points: 3_000_000 },
  oauth: { requests: 5000, points: 2_000_000 },
} as const

/**
 * Linear's GraphQL API on this machine: a small issue tracker that persists, and that refuses what Linear refuses.
 */
export function linearEmulator({ file, now = Date.now, seed = 'workspace', limits, ...rest }: LinearEmulatorOptions = {}): LinearEmulator {
  const { apiKey = 'lin_api_emulator', accessToken = 'lin_oauth_emulator', scopes = allScopes, clients = [localClient], lifetimes } = rest
  const budgets = {
    key: createRateLimiter({ ...vendorLimits.key, ...limits }, now),
    oauth: createRateLimiter({ ...vendorLimits.oauth, ...limits }, now),
  }
  let opened: Store | undefined
  let cutWhen: ((operation: string) => boolean) | undefined
  const inStore = <T>(work: (store: Store) => T): T => {
    if (opened === undefined) throw new Error('The emulator is not open.')
    return work(opened)
  }
  const emulator = defineEmulator<LinearReaders>({
    service: 'Linear',
    ...(file !== undefined && { file }),
    now,
    migrations,
    seed(store) {
      budgets.key.refill()
      budgets.oauth.refill()
      seedEmpty(store, now())
      if (seed === 'workspace') seedWorkspace(store, now())
    },
    rules: linearRules,
    operation: operationOf,
    facts: factsOf,
    build({ store }) {
      opened = store
      const grants = openGrants(store, { now, prefixes, revokes: 'grant', ...vendorLifetimes, ...lifetimes })
      const credentials = { apiKey, accessToken, scopes, scopesOf: (token: string) => grants.findAccessToken(token)?.scopes }
      return {
        routes: routes({
          store,
          now,
          credentials,
          budgets,
          clients,
          grants,
          isCut: (received) => cutWhen?.(operationOf(received)) ?? false,
        }),
        readers: createReaders(store),
        listings: [mutationListing(store)],
      }
    },
  })
  return {
    ...emulator,
    addIssues: (count) => {
      inStore((store) => {
        addIssues(store, { count, now: now() })
      })
    },
    addTeam: (team) => inStore((store) => addTeam(store, team, now())),
    addUser: (user) => inStore((store) => addUser(store, user, now())),
    cutBetweenMutations(when) {
      cutWhen = when
    },
  }
}

interface RouteContext {
  readonly store: Store
  readonly now: () => number
  readonly credentials: Credentials
  readonly budgets: Readonly<Record<'key' | 'oauth', RateLimiter>>
  readonly clients: readonly OAuthClient[]
  readonly grants: Grants
  readonly isCut: (received: ReceivedRequest) => boolean
}

function routes(served: RouteContext) {
  const app = new Hono<{ Bindings: Exchange }>()
  app.post('/graphql', async (context) => {
    const { status, body, headers } = await answer(context.env.received, served)
    return Response.json(body, { status, headers })
  })
  app.all('/graphql', (context) => context.text('Method Not Allowed', 405, { allow: 'POST' }))
  app.route('/', authorizeRoutes(served))
  app.route('/', tokenRoutes(served))
  return app
}

interface Answer {
  readonly status: number
  readonly body: JsonObject
  readonly headers: Record<string, string>
}

async function answer(
  received: ReceivedRequest,
  { store, now, credentials, budgets, isCut }: Omit<RouteContext, 'clients' | 'grants'>,
): Promise<Answer> {
  const headers: Record<string, string> = {}
  try {
    const caller = authenticate(received.headers.get('authorization'), credentials)
    const budget = budgets[caller.kind]
    const tell = () => Object.assign(headers, budget.headers())
    tell()
    budget.takeRequest()
    tell()
    const { query, variables, operationName } = parseCall(received)
    const open = (complexity: number) => {
      headers['x-complexity'] = String(complexity)
      budget.takePoints(complexity)
      tell()
      return openSession({ store, entityTypes: entityTypes, viewerId, now: now(), rateLimits: budget.status })
    }
    // A program that only starts an emulator need not wait for GraphQL.
    const { execute } = await import('./graphql/execute.ts')
    return { ...execute({ query, variables, operationName, caller, open, isCut: isCut(received) }), headers }
  } catch (error) {
    if (!(error instanceof LinearError)) throw error
    return { status: error.status, body: { errors: [{ message: error.message, extensions: error.extensions }] }, headers }
  }
}

const mutationListing = (store: Store): Listing => ({
  name: 'mutations',
  title: 'Mutations',
  columns: ['id', 'at', 'field', 'entity'],
  list: (range) => listMutations(store, range),
  latest: (count) => latestMutations(store, count),
})
