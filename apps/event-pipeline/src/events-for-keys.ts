import type { WorkForKeys } from '@mcp-toolkits/server'
import type { OutboxHandle } from './outbox-handle.ts'

export interface EventsForKeysOptions {
  readonly outbox: () => Promise<OutboxHandle>
  /** Whether there is one: it is not made to find nothing in it. */
  readonly hasOutbox: () => boolean
  /** Where events go. */
  readonly origin: () => string
}

/** The events that wait for keys which people have entered. */
export function eventsForKeys({ outbox, hasOutbox, origin }: EventsForKeysOptions): WorkForKeys {
  return {
    async waiting() {
      if (!hasOutbox()) return []
      const { store, hashKey } = await outbox()
      return (await store.waiting()).flatMap(({ destination }) => {
        const { account, keyHash } = destination
        if (!account) return []
        return {
          account,
          isFor: (key) => key.fingerprint(hashKey) === keyHash,
          park: () => store.park(destination, 'key_ended'),
        }
      })
    },
    async reopen(account, key) {
      if (!hasOutbox()) return 0
      const { store, hashKey } = await outbox()
      return store.reopen({ origin: origin(), keyHash: key.fingerprint(hashKey), account }, 'key_ended')
    },
  }
}
