import { createHash } from 'node:crypto'
import { count } from '@mcp-toolkits/core/errors'
import { columnsOf, type Destination, isSameDestination, type OutboxStore } from './outbox-store.ts'

/** An operator's former key with stored events, which are not sent under the current key. */
export interface OtherKey {
  readonly destination: Destination
  /** The key's name for `outbox adopt`; the same key at two addresses has two names. */
  readonly name: string
  readonly entries: number
}

export const keyName = (destination: Destination): string =>
  createHash('sha256')
    .update(JSON.stringify(columnsOf(destination)))
    .digest('hex')
    .slice(0, 8)

/** The built-in emulator's origin: its events are only for trials, and never go to a vendor. */
export const embeddedOrigin = 'embedded'

/** Entries that are waiting or parked under the operator's other keys. */
export async function otherKeys(store: Pick<OutboxStore, 'tally'>, destination: Destination): Promise<OtherKey[]> {
  const others = (await store.tally()).filter(
    (each) =>
      each.destination.account === undefined &&
      each.destination.origin !== embeddedOrigin &&
      !isSameDestination(each.destination, destination),
  )
  return [...Map.groupBy(others, (each) => keyName(each.destination))].flatMap(([name, each]) => {
    const [first] = each
    return first ? [{ name, destination: first.destination, entries: each.reduce((sum, { entries }) => sum + entries, 0) }] : []
  })
}

/** Tells the operator about entries under other keys; undefined if there are none. */
export async function strandedText(store: Pick<OutboxStore, 'tally'>, destination: Destination): Promise<string | undefined> {
  const others = await otherKeys(store, destination)
  const entries = others.reduce((sum, each) => sum + each.entries, 0)
  if (entries === 0) return undefined
  return `${count(entries, 'request')} in the outbox ${entries === 1 ? 'was' : 'were'} stored under another key or address and ${entries === 1 ? 'is' : 'are'} not sent: \`outbox adopt\` shows how to hand ${entries === 1 ? 'it' : 'them'} to the key in use.`
}
