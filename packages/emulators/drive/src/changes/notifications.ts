import { type Deliveries, type DeliveryOptions, openDeliveries } from '@mcp-toolkits/emulator'
import { integer, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { viewerOf } from '../people/people.ts'
import { type Item, itemById } from '../store/items.ts'
import { seenBy } from '../store/viewers.ts'
import { advanceChannel, type Channel, openChannels, type SeenFile } from './open-channels.ts'

/** Content of a notification: https://developers.google.com/workspace/drive/api/guides/push#understanding-events. */
interface ResourceEvent {
  readonly state: 'sync' | 'add' | 'remove' | 'update' | 'trash' | 'untrash' | 'change'
  /** The kinds of change in an update. */
  readonly changed?: string
}

const opened: ResourceEvent = { state: 'sync' }

export type NotifierOptions = Pick<DeliveryOptions, 'store' | 'now' | 'hosts' | 'sleep'>

/** Notifies channels of changes. */
export interface Notifier {
  /** Notifies channels of all changes since the last call, and new channels that they are open. */
  readonly notify: () => void
  readonly deliveries: Deliveries
  readonly close: () => Promise<void>
}

// Google retries after 500, 502, 503 and 504 with growing delays, and does not document their lengths.
const delays = [1_000, 4_000, 16_000, 64_000, 256_000]
const repeats = (status: number | null) => status === null || [500, 502, 503, 504].includes(status)

export function openNotifier(options: NotifierOptions): Notifier {
  const { store, now } = options
  const isOpen = (id: string) => store.rows({ id: text }, 'select id from channels where id = :id limit 1', { id }).length > 0
  const deliveries = openDeliveries({ ...options, delays, repeats, isOpen })
  let notifying: Promise<void> = Promise.resolve()
  const send = (channel: Channel, messages: number, event: ResourceEvent) => {
    deliveries.send({
      address: channel.address,
      subscription: channel.id,
      headers: headersOf(channel, messages, event),
      body: channel.fileId === null && event.state !== 'sync' ? JSON.stringify({ kind: 'drive#changes' }) : '',
      secrets: ['X-Goog-Channel-Token'],
    })
  }
  const eventsOf = (channel: Channel, file: Item | undefined, mutations: readonly Mutation[]): ResourceEvent[] => {
    if (channel.fileId !== null) return eventOf(channel.seen, file, mutations)
    return mutations.some((mutation) => concerns(store, channel, mutation)) ? [{ state: 'change' }] : []
  }
  const tell = async () => {
    for (const channel of openChannels(store, now())) {
      const mutations = mutationsAfter(store, channel)
      const last = mutations.at(-1)
      const isNew = channel.messages === 0
      if (last === undefined && !isNew) continue
      const seen = channel.fileId === null ? undefined : itemById(seenBy(store, viewerIn(store, channel)), channel.fileId)
      const events = [...(isNew ? [opened] : []), ...(last === undefined ? [] : eventsOf(channel, seen, mutations))]
      await store.write(() => {
        advanceChannel(store, channel, { position: last?.id ?? channel.position, messages: channel.messages + events.length, seen })
      })
      for (const [index, event] of events.entries()) send(channel, channel.messages + index + 1, event)
    }
  }
  return {
    notify() {
      // While the database is closing or locked, nothing is sent; the next change's notification covers this change too.
      notifying = notifying.then(tell).catch(() => undefined)
    },
    deliveries,
    async close() {
      await notifying
      await deliveries.close()
    },
  }
}

const mutationShape = { id: integer, method: text, fileId: text }
type Mutation = RowOf<typeof mutationShape>

function mutationsAfter(store: Store, { position, fileId }: Channel): Mutation[] {
  const only = fileId === null ? '' : 'and fileId = :fileId'
  const sql = `select id, method, fileId from mutations where id > :position and fileId is not null ${only} order by id`
  return store.rows(mutationShape, sql, { position, ...(fileId !== null && { fileId }) })
}

function viewerIn(store: Store, { id, viewer }: Channel) {
  const found = viewerOf(store, viewer)
  if (found === undefined) throw new Error(`Channel ${id} refers to a missing account.`)
  return found
}

/** True if the channel's feed lists the change. */
function concerns(store: Store, channel: Channel, { method, fileId }: Mutation): boolean {
  const { searchParams } = new URL(channel.resourceUri)
  const driveId = searchParams.get('driveId')
  const withDrives = searchParams.get('includeItemsFromAllDrives') === 'true' || driveId !== null
  const item = itemById(seenBy(store, viewerIn(store, channel)), fileId)
  if (item === undefined) return ['files.delete', 'files.emptyTrash', 'drives.delete'].includes(method)
  if (item.role === null) return method === 'permissions.delete'
  return item.driveId === null ? driveId === null : withDrives && (driveId ?? item.driveId) === item.driveId
}

function eventOf(before: SeenFile | undefined, after: Item | undefined, mutations: readonly Mutation[]): ResourceEvent[] {
  if (!after?.role) return [{ state: 'remove' }]
  if (before !== undefined && before.trashed !== after.trashed) return [{ state: after.trashed === 1 ? 'trash' : 'untrash' }]
  const isShared = mutations.some(({ method }) => method.startsWith('permissions.'))
  const isUpdated = mutations.some(({ method }) => !method.startsWith('permissions.'))
  const changed = [
    ...(before?.headRevisionId === after.headRevisionId ? [] : ['content']),
    ...(before?.parentId === after.parentId ? [] : ['parents']),
    ...(isShared ? ['permissions'] : []),
    ...(isUpdated ? ['properties'] : []),
  ]
  return [{ state: 'update', changed: changed.join(',') }]
}

function headersOf(
  { id, token, resourceId, resourceUri, expiresAt }: Channel,
  messages: number,
  { state, changed }: ResourceEvent,
): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
    'X-Goog-Channel-ID': id,
    'X-Goog-Message-Number': String(messages),
    'X-Goog-Resource-ID': resourceId,
    'X-Goog-Resource-State': state,
    'X-Goog-Resource-URI': resourceUri,
    'X-Goog-Channel-Expiration': new Date(expiresAt).toUTCString(),
    ...(changed !== undefined && { 'X-Goog-Changed': changed }),
    ...(token !== null && { 'X-Goog-Channel-Token': token }),
  }
}
