import { defineEmulator, type Emulator, type Exchange, type Facts, type Listing, type Received } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/store'
import { Hono } from 'hono'
import { allScopes, identify, type Credentials } from './access.ts'
import { linearBehaviours } from './behaviours.ts'
import { openBudget, type Budget, type Limits } from './budget.ts'
import { migrations, nouns } from './parts.ts'
import { Refusal, badDocument } from './refusals.ts'
import { readersOf, listMutations, latestMutations, type LinearReaders } from './readers.ts'
import { addIssues } from './seed/bulk.ts'
import { seedEmpty, viewerId } from './seed/empty.ts'
import { seedWorkspace } from './seed/workspace.ts'
import { openSession } from './session.ts'
import { isFields, parseJson, type Fields } from './values.ts'

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
  readonly limits?: Partial<Limits>
}

/** Linear on this machine. */
export interface LinearEmulator extends Emulator<LinearReaders> {
  /** Adds issues to the first team, many at once; for tests of size. */
  readonly addIssues: (count: number) => void
}

/** Per hour: linear.md §3.2. */
const vendorLimits = {
  key: { requests: 2500, points: 3_000_000 },
  oauth: { requests: 5000, points: 2_000_000 },
} as const

/**
 * Linear's GraphQL API on this machine: a small issue tracker that persists, and that refuses what Linear refuses.
 */
export function linearEmulator({ file, now = Date.now, seed = 'workspace', limits, ...rest }: LinearEmulatorOptions = {}): LinearEmulator {
  const { apiKey = 'lin_api_emulator', accessToken = 'lin_oauth_emulator', scopes = allScopes } = rest
  const budgets = { key: openBudget({ ...vendorLimits.key, ...limits }, now), oauth: openBudget({ ...vendorLimits.oauth, ...limits }, now) }
  let opened: Store | undefined
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
    behaviours: linearBehaviours,
    operation,
    facts,
    build({ store }) {
      opened = store
      const serve = { store, now, credentials: { apiKey, accessToken, scopes }, budgets }
      return { routes: routes(serve), readers: readersOf(store), listings: [mutationListing(store)] }
    },
  })
  return {
    ...emulator,
    addIssues: (count) => {
      if (opened !== undefined) addIssues(opened, { count, now: now() })
    },
  }
}

interface Served {
  readonly store: Store
  readonly now: () => number
  readonly credentials: Credentials
  readonly budgets: Readonly<Record<'key' | 'oauth', Budget>>
}

function routes(served: Served) {
  const app = new Hono<{ Bindings: Exchange }>()
  app.post('/graphql', async (context) => {
    const { status, body, headers } = await answer(context.env.received, served)
    return Response.json(body, { status, headers })
  })
  app.all('/graphql', (context) => context.text('Method Not Allowed', 405, { allow: 'POST' }))
  return app
}

interface Answer {
  readonly status: number
  readonly body: Fields
  readonly headers: Record<string, string>
}

async function answer(received: Received, { store, now, credentials, budgets }: Served): Promise<Answer> {
  const headers: Record<string, string> = {}
  try {
    const caller = identify(received.headers.get('authorization'), credentials)
    const budget = budgets[caller.kind]
    const tell = () => Object.assign(headers, budget.headers())
    tell()
    budget.takeRequest()
    tell()
    const { query, variables, operationName } = bodyOf(received)
    const open = (complexity: number) => {
      headers['x-complexity'] = String(complexity)
      budget.takePoints(complexity)
      tell()
      return openSession({ store, nouns, viewerId, now: now(), budget: budget.status })
    }
    // A program that only starts an emulator need not wait for GraphQL.
    const { run } = await import('./graphql.ts')
    return { ...run({ query, variables, operationName, caller, open }), headers }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { status: error.status, body: { errors: [{ message: error.message, extensions: error.extensions }] }, headers }
  }
}

/** The parts of a GraphQL request. */
function bodyOf({ body }: Received) {
  const parsed = parseJson(new TextDecoder().decode(body))
  const sent = isFields(parsed) ? parsed : {}
  const { query, variables, operationName } = sent
  if (typeof query !== 'string') throw badDocument('The body must be JSON with a query.', 'BAD_REQUEST')
  return {
    query,
    variables: isFields(variables) ? variables : {},
    operationName: typeof operationName === 'string' ? operationName : undefined,
  }
}

function partsOf({ body }: Received): { name: string; kind: string; variables: Fields } {
  const parsed = parseJson(new TextDecoder().decode(body))
  const sent = isFields(parsed) ? parsed : {}
  const query = typeof sent['query'] === 'string' ? sent['query'] : ''
  const [, kind = 'query', inDocument = 'anonymous'] = /\b(query|mutation)\s+(\w+)/.exec(query) ?? []
  const name = typeof sent['operationName'] === 'string' ? sent['operationName'] : inDocument
  return { name, kind, variables: isFields(sent['variables']) ? sent['variables'] : {} }
}

/** A create is known by the id that its client minted, everything else by its name and its target. */
function operation(received: Received): string {
  const { name, variables } = partsOf(received)
  const { input, id } = variables
  if (isFields(input) && typeof input['id'] === 'string') return input['id']
  return typeof id === 'string' ? `${name} ${id}` : name
}

function facts(received: Received): Facts {
  const { name, kind } = partsOf(received)
  const authorization = received.headers.get('authorization')
  return { operation: name, kind, authorization: authorization === null ? 'none' : authorization.startsWith('Bearer ') ? 'bearer' : 'key' }
}

const mutationListing = (store: Store): Listing => ({
  name: 'mutations',
  title: 'Mutations',
  columns: ['id', 'at', 'field', 'entity'],
  list: (range) => listMutations(store, range),
  latest: (count) => latestMutations(store, count),
})
