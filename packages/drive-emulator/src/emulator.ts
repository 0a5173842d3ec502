import { defineEmulator, type Emulator, type Exchange, type Facts, type Listing, type Received } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/store'
import { Hono } from 'hono'
import { checkScope, identify, type Tokens } from './access.ts'
import { driveBehaviours } from './behaviours.ts'
import { openContents, type Contents } from './contents.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import type { Item } from './items.ts'
import { noQuirks, type Quirks } from './quirks.ts'
import { latestMails, latestMutations, listMails, listMutations, readersOf, type DriveReaders } from './readers.ts'
import { envelope, pathNotFound, Refusal } from './refusals.ts'
import { addItems } from './seed/bulk.ts'
import { seedEmpty } from './seed/empty.ts'
import { plantDrive, type PlantedDrive } from './seed/drives.ts'
import { planting, type Planted } from './seed/planting.ts'
import { seedStorage } from './seed/storage.ts'
import { openSession, paramsOf, type Session } from './session.ts'
import { migrations } from './tables.ts'
import { openMeter, type Meter } from './units.ts'
import { chunkEndpoint, uploadEndpoints } from './uploads/endpoints.ts'
import { parseJson, isFields } from './values.ts'

export interface DriveEmulatorOptions {
  /** Path of the database; in memory when absent. The contents lie beside it, or in a temporary directory. */
  readonly file?: string
  /** The clock, as `Date.now`. */
  readonly now?: () => number
  /** What a new account holds: what someone has gathered in years, or nothing. */
  readonly seed?: 'storage' | 'empty'
  /** The OAuth access token that is accepted: `drive-emulator` when absent. */
  readonly accessToken?: string
  /** What the access token may do, such as `drive.file`; `drive` when absent. */
  readonly scopes?: readonly string[]
  /** Further tokens of the same person, each with its scopes. */
  readonly tokens?: Readonly<Record<string, readonly string[]>>
  /** How many bytes My Drive may hold: 15 GiB when absent, null for no limit. */
  readonly storageLimit?: number | null
  /** What to do every time that Drive does at times. */
  readonly quirks?: Partial<Quirks>
}

/** Google Drive on this machine. */
export interface DriveEmulator extends Emulator<DriveReaders> {
  /** Adds files and folders to My Drive, many at once; for tests of size. */
  readonly addFiles: (count: number) => void
  /** Puts an item into the drive without a request, and returns its id. */
  readonly plant: (item: Planted) => string
  /** Makes a shared drive without a request, and returns its id. */
  readonly plantDrive: (drive: PlantedDrive) => string
  /** Gives the app items, as the file picker does. */
  readonly grant: (...ids: readonly string[]) => void
  /** Lets a token expire. */
  readonly expire: (token?: string) => void
  /** Can be changed at any time. */
  readonly quirks: Quirks
}

/**
 * Google Drive's v3 API on this machine: a small drive that persists, and that refuses what Drive refuses.
 */
export function driveEmulator({
  file,
  now = Date.now,
  seed = 'storage',
  quirks: wanted,
  ...rest
}: DriveEmulatorOptions = {}): DriveEmulator {
  const { accessToken = 'drive-emulator', scopes = ['drive'], storageLimit = 15 * 1024 ** 3 } = rest
  const tokens = new Map<string, readonly string[]>([[accessToken, scopes], ...Object.entries(rest.tokens ?? {})])
  const quirks: Quirks = { ...noQuirks, ...wanted }
  const contents = openContents(file)
  const meter = openMeter()
  let opened: Store | undefined
  const emulator = defineEmulator<DriveReaders>({
    service: 'Google Drive',
    ...(file !== undefined && { file }),
    now,
    migrations,
    seed(store) {
      contents.empty()
      meter.reset()
      seedEmpty(store, now())
      if (seed === 'storage') seedStorage(store, now())
    },
    behaviours: driveBehaviours,
    operation,
    facts,
    build({ store }) {
      opened = store
      const app = routes({ store, contents, now, tokens, quirks, meter, storageLimit, ending: new Map() })
      return { routes: app, readers: readersOf(store, meter), listings: [mutationListing(store), mailListing(store)] }
    },
  })
  const store = () => {
    if (opened === undefined) throw new Error('The emulator is not open.')
    return opened
  }
  return {
    ...emulator,
    quirks,
    addFiles(count) {
      addItems(store(), { count, now: now() })
    },
    plant: (item) => store().write(() => planting(store(), now()).plant(item)),
    plantDrive: (drive) => store().write(() => plantDrive(planting(store(), now()), drive)),
    grant(...ids) {
      for (const id of ids) store().run('update files set granted = 1 where id = :id', { id })
    },
    expire(token = accessToken) {
      tokens.delete(token)
    },
    async close() {
      await emulator.close()
      contents.close()
    },
  }
}

interface Served {
  readonly store: Store
  readonly contents: Contents
  readonly now: () => number
  readonly tokens: Tokens
  readonly quirks: Quirks
  readonly meter: Meter
  readonly storageLimit: number | null
  readonly ending: Map<string, Promise<Item>>
}

function routes(served: Served) {
  const app = new Hono<{ Bindings: Exchange }>()
  const serve = (base: string, endpoint: Endpoint) =>
    app.on(endpoint.method, base + endpoint.path, (context) =>
      answer(served, endpoint, { received: context.env.received, parts: context.req.param() }),
    )
  app.all('/upload/drive/v3/files/:fileId?', (context, next) => {
    const { received } = context.env
    return received.url.searchParams.has('upload_id') ? answer(served, chunkEndpoint, { received, parts: {} }) : next()
  })
  for (const endpoint of uploadEndpoints) serve('/upload/drive/v3', endpoint)
  for (const endpoint of endpoints) serve('/drive/v3', endpoint)
  app.notFound(() => refused(pathNotFound(), served.quirks))
  return app
}

interface Arrived {
  readonly received: Received
  readonly parts: Readonly<Record<string, string>>
}

async function answer(served: Served, endpoint: Endpoint, { received, parts }: Arrived): Promise<Response> {
  try {
    const session = sessionFor(served, endpoint, received)
    checkScope(session.caller, endpoint.scopes)
    served.meter.spend(endpoint.name, endpoint.units(session))
    const { method, headers, url, body: bytes } = received
    const asked = { part: (name: string) => parts[name] ?? '', body: () => new TextDecoder().decode(bytes), bytes, headers, url, method }
    const made: unknown = await endpoint.answer(session, asked)
    if (made instanceof Response) return made
    return made === undefined ? new Response(null, { status: 204 }) : Response.json(made)
  } catch (error) {
    if (error instanceof Refusal) return refused(error, served.quirks)
    throw error
  }
}

function sessionFor(
  { store, contents, now, tokens, quirks, storageLimit, ending }: Served,
  { caller }: Endpoint,
  { url, headers }: Received,
): Session {
  const authorization = headers.get('authorization')
  const identified = caller !== undefined && authorization === null ? undefined : identify(authorization, tokens)
  return openSession({
    store,
    contents,
    quirks,
    storageLimit,
    ending,
    caller: caller?.(store, { url, now: now() }) ?? identified ?? identify(null, tokens),
    now: now(),
    params: paramsOf(url),
    resourceKeys: headers.get('x-goog-drive-resource-keys'),
  })
}

const refused = (refusal: Refusal, { newerErrors }: Quirks) => Response.json(envelope(refusal, newerErrors), { status: refusal.status })

/** A create is known by the id that its client brought, an upload by its session, everything else by its method and its path. */
function operation({ method, path, url, headers, body }: Received): string {
  const upload = url.searchParams.get('upload_id')
  if (upload !== null) return upload
  const beginning = new TextDecoder().decode(body.subarray(0, 4096))
  const isInParts = headers.get('content-type')?.startsWith('multipart/') ?? false
  const sent = isInParts ? { id: /"id"\s*:\s*"([^"]+)"/.exec(beginning)?.[1] } : parseJson(beginning)
  const id = method === 'POST' && isFields(sent) ? sent['id'] : undefined
  return typeof id === 'string' ? id : `${method} ${path}`
}

function facts({ headers, url }: Received): Facts {
  const [kind = ''] = (headers.get('authorization') ?? 'none').split(' ')
  return {
    authorization: kind.toLowerCase(),
    range: headers.get('range') ?? headers.get('content-range'),
    fields: url.searchParams.get('fields'),
  }
}

const mutationListing = (store: Store): Listing => ({
  name: 'mutations',
  title: 'Mutations',
  columns: ['id', 'at', 'method', 'fileId'],
  list: (range) => listMutations(store, range),
  latest: (count) => latestMutations(store, count),
})

const mailListing = (store: Store): Listing => ({
  name: 'mails',
  title: 'Mails',
  columns: ['id', 'at', 'fileId', 'recipient', 'role', 'message'],
  list: (range) => listMails(store, range),
  latest: (count) => latestMails(store, count),
})
