import { integer, nullable, type Store, text } from '@mcp-toolkits/sqlite'
import type { Item } from '../store/items.ts'

/** A notification channel: for one file, or for the change feed. */
export interface Channel {
  readonly n: number
  readonly id: string
  /** Id of the person whose channel it is. */
  readonly viewer: string
  readonly fileId: string | null
  readonly address: string
  readonly token: string | null
  readonly resourceId: string
  readonly resourceUri: string
  /** In milliseconds. */
  readonly expiresAt: number
  /** Id of the last mutation of which it was notified. */
  readonly position: number
  readonly messages: number
  /** The file at the channel's last notification; undefined if the channel is for the feed. */
  readonly seen: SeenFile | undefined
}

/** The part of a watched file that decides which event a change causes. */
export type SeenFile = Pick<Item, 'trashed' | 'headRevisionId' | 'parentId'>

const shape = {
  n: integer,
  id: text,
  viewer: text,
  fileId: nullable(text),
  address: text,
  token: nullable(text),
  resourceId: text,
  resourceUri: text,
  expiresAt: integer,
  position: integer,
  messages: integer,
  trashed: nullable(integer),
  headRevisionId: nullable(text),
  parentId: nullable(text),
}

const columns = Object.keys(shape).join(', ')

/** Unexpired channels. */
export const openChannels = (store: Store, now: number): Channel[] =>
  store
    .rows(shape, `select ${columns} from channels where expiresAt > :now order by n`, { now })
    .map(({ trashed, headRevisionId, parentId, ...channel }) => ({
      ...channel,
      seen: trashed === null ? undefined : { trashed, headRevisionId, parentId },
    }))

/** Records the last mutation of which a channel was notified, the number of its messages, and its file's state then. */
export function advanceChannel(store: Store, { n }: Channel, told: Pick<Channel, 'position' | 'messages' | 'seen'>): void {
  const { position, messages, seen } = told
  store.run('update channels set position = :position, messages = :messages where n = :n', { n, position, messages })
  if (seen === undefined) return
  const { trashed, headRevisionId, parentId } = seen
  const sets = 'trashed = :trashed, headRevisionId = :headRevisionId, parentId = :parentId'
  store.run(`update channels set ${sets} where n = :n`, { n, trashed, headRevisionId, parentId })
}
