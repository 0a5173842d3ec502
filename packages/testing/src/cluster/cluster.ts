import { randomBytes } from 'node:crypto'
import { openContentSource, type ContentSource } from '../processes/content-source.ts'
import { RealClock } from '../vendors/clock.ts'
import { environmentOf } from '../vendors/environment.ts'
import type { OpenVendor, Vendor } from '../vendors/vendor.ts'
import { openFaultyVendor, type FaultyVendor } from './faulty-vendor.ts'
import { startBalancer } from './nginx.ts'
import { startReplica, type Replica } from './replica.ts'

/** Several replicas of one server behind nginx, with one database and one vendor account. */
export interface Cluster extends AsyncDisposable {
  /** Address for clients; each request goes to the next replica. */
  readonly url: string
  readonly replicas: readonly Replica[]
  readonly vendor: OpenVendor
  readonly faults: FaultyVendor
  readonly source: ContentSource
  /** The database schema that the replicas use. */
  readonly schema: string
}

export interface ClusterOptions {
  readonly vendor: Vendor
  readonly databaseUrl: string
  readonly seed: number
  readonly replicas?: number
  readonly args?: readonly string[]
  /** The servers' environment variables, including the one with the vault keys; if absent, the cluster gets a new vault key. */
  readonly environment?: Readonly<Record<string, string>>
  /** Returns the people named in the body of a request to the vendor. */
  readonly peopleIn?: (body: string) => readonly string[]
}

let schemas = 0

/** Starts everything but the database, in a new schema. */
export async function openCluster({
  vendor,
  databaseUrl,
  seed,
  replicas: count = 3,
  args = [],
  environment: more = { MCP_TOOLKITS_VAULT_KEYS: `tests:${randomBytes(32).toString('base64')}` },
  peopleIn,
}: ClusterOptions): Promise<Cluster> {
  await using stack = new AsyncDisposableStack()
  const opened = stack.use(await vendor.open(new RealClock()))
  const faults = stack.use(await openFaultyVendor(opened, { seed, ...(peopleIn && { peopleIn }) }))
  const source = stack.use(await openContentSource())
  const schema = `cluster_${(schemas += 1)}`
  const environment = {
    ...environmentOf(vendor, { url: faults.url, options: opened.options }),
    FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host,
    MCP_TOOLKITS_STORE: `${databaseUrl}?schema=${schema}`,
    ...more,
  }
  const replicas: Replica[] = []
  // Started one after the other, because the first replica creates the tables.
  for (let index = 0; index < count; index += 1) {
    replicas.push(stack.use(await startReplica({ app: vendor.server.name, environment, args })))
  }
  const balancer = stack.use(await startBalancer(replicas.map(({ port }) => port)))
  const resources = stack.move()
  return {
    ...{ url: balancer.url, replicas, vendor: opened, faults, source, schema },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
