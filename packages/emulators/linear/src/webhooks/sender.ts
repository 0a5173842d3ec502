import { setTimeout } from 'node:timers/promises'
import { stringAt } from '@mcp-toolkits/emulator'
import type { Store, StoreClock } from '@mcp-toolkits/sqlite'
import type { ResolverOf } from '../engine/entity-module.ts'
import type { EntityChange, Session } from '../store/session.ts'
import { dropStrayDeliveries, openSender } from './deliveries.ts'
import { storeDeliveries } from './webhooks.ts'

/** Delivery of changes to webhooks, which continues between requests. */
export interface Webhooks {
  /** Called with a mutation's changes, within its transaction. */
  readonly onMutation: (changes: readonly EntityChange[], session: Session) => void
  /** Called after the data has been replaced. */
  readonly restored: () => void
  readonly close: () => void
}

interface WebhooksContext {
  readonly store: Store
  readonly now: () => number
  readonly clock: Pick<StoreClock, 'sleep'> | undefined
  readonly webhooksTo: readonly string[]
  readonly resolverOf: ResolverOf
}

/** Waits without keeping the process alive. */
const timer = { sleep: (ms: number) => setTimeout(ms, undefined, { ref: false }) }

/** Starts delivering changes, and deliveries pending from an earlier run. */
export function openWebhooks({ store, now, clock = timer, webhooksTo, resolverOf }: WebhooksContext): Webhooks {
  const sender = openSender({ store, now, sleep: clock.sleep, webhooksTo })
  sender.wake()
  return {
    onMutation(changes, session) {
      const changesWebhook = changes.some(({ type }) => type === 'Webhook')
      if (storeDeliveries(coalesce(changes), session, resolverOf) || changesWebhook) sender.wake()
    },
    restored() {
      dropStrayDeliveries(store)
      sender.wake()
    },
    close: sender.close,
  }
}

/** Merges changes into one per entity: from its state before the mutation to its present state. */
function coalesce(changes: readonly EntityChange[]): EntityChange[] {
  const byEntity = new Map<string, EntityChange>()
  for (const change of changes) {
    const id = `${change.type} ${stringAt(change.row, 'id')}`
    const first = byEntity.get(id)
    byEntity.set(
      id,
      first === undefined ? change : { ...change, action: change.action === 'remove' ? 'remove' : first.action, before: first.before },
    )
  }
  return [...byEntity.values()].filter(({ action, before }) => action !== 'remove' || before !== null)
}
