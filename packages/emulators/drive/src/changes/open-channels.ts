import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import type { Item } from '../store/items.ts'

/** The part of a watched file that decides which event a change causes. */
export type SeenFile = Pick<Item, 'trashed' | 'headRevisionId' | 'parentId'>

const shape = {
  n: integer,
  id: text,
  /** Id of the person who opened the channel. */
  viewer: text,
  fileId: nullable(text),
  address: text,
  token: nullable(text),
  resourceId: text,
  resourceUri: text,
  /** In milliseconds. */
  expiresAt: integer,
  /** Id of the last mutation that the channel was notified of. */
  position: integer,
  messages: integer,
}
const seenShape = { trashed: nullable(integer), headRevisionId: nullable(text), parentId: nullable(text) }

/** A notification channel: for one file, or for the change feed. */
export interface Channel extends RowOf<typeof shape> {
  /** The file at the channel's last notification; undefined if the channel is for the feed. */
  readonly seen: SeenFile | undefined
}

/** Unexpired channels. */
export const openChannels = (store: Store, now: number): Channel[] =>
  store
    .rows({ ...shape, ...seenShape }, 'select * from channels where expiresAt > :now order by n', { now })
    .map(({ trashed, headRevisionId, parentId, ...channel }) => ({
      ...channel,
      seen: trashed === null ? undefined : { trashed, headRevisionId, parentId },
    }))

/** Records the last mutation that a channel was notified of, the number of messages sent, and the file's state at that time. */
export function advanceChannel(store: Store, { n }: Channel, told: Pick<Channel, 'position' | 'messages' | 'seen'>): void {
  const { position, messages, seen } = told
  store.run('update channels set position = :position, messages = :messages where n = :n', { n, position, messages })
  if (seen === undefined) return
  const { trashed, headRevisionId, parentId } = seen
  const sets = 'trashed = :trashed, headRevisionId = :headRevisionId, parentId = :parentId'
  store.run(`update channels set ${sets} where n = :n`, { n, trashed, headRevisionId, parentId })
}
