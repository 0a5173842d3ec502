import { createHash } from 'node:crypto'
import { count } from '@mcp-toolkits/core/errors'
import { columnsOf, type Destination, isSameDestination, type OutboxStore } from './outbox-store.ts'

/** The operator's keys under which events are stored that the key in use does not send. */
export interface OtherKey {
  readonly destination: Destination
  /** Name for `outbox adopt`: the same key at two addresses has two. */
  readonly name: string
  readonly entries: number
}

export const keyName = (destination: Destination): string =>
  createHash('sha256')
    .update(JSON.stringify(columnsOf(destination)))
    .digest('hex')
    .slice(0, 8)

/** The embedded default: its events are for trying things out, and never go to a vendor. */
export const embeddedOrigin = 'embedded'

/** Entries that wait or are parked under other keys of the operator. */
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

/** Tells the operator about them; undefined when there are none. */
export async function strandedText(store: Pick<OutboxStore, 'tally'>, destination: Destination): Promise<string | undefined> {
  const others = await otherKeys(store, destination)
  const entries = others.reduce((sum, each) => sum + each.entries, 0)
  if (entries === 0) return undefined
  return `${count(entries, 'request')} in the outbox ${entries === 1 ? 'was' : 'were'} stored under another key or address and ${entries === 1 ? 'is' : 'are'} not sent: \`outbox adopt\` shows how to hand ${entries === 1 ? 'it' : 'them'} to the key in use.`
}
