import type { ConnectOptions, Settings, WorkForKeys } from '@mcp-toolkits/server'
import type { Secret } from '@mcp-toolkits/core/upstream'
import { systemClock } from '@mcp-toolkits/core/base'
import { count, storageFailure } from '@mcp-toolkits/core/errors'
import type { FilesForKeys } from '../backfill/store.ts'
import { openOutbox, type OutboxHandle } from '../outbox-handle.ts'
import { type Destination, leaseName, ownerIn, type Tally } from '../outbox/outbox-store.ts'
import { hasBackfills, hasOutbox, outboxFile } from '../upstream.ts'

export interface EventsForKeysOptions {
  readonly outbox: () => Promise<OutboxHandle>
  /** True if there is an outbox, so that none is created only to be found empty. */
  readonly hasOutbox: () => boolean
  /** Files of events; undefined if there are none. */
  readonly files: () => Promise<FilesForKeys | undefined>
  /** The base URL that events are sent to. */
  readonly origin: () => string
}

/** Events waiting for keys that people have entered, in the outbox and in files. */
export function eventsForKeys({ outbox, hasOutbox, files, origin }: EventsForKeysOptions): WorkForKeys {
  return {
    async waiting() {
      if (!hasOutbox()) return []
      const { store, hashKey } = await outbox()
      const waiting = (await store.waiting()).map(({ destination }) => ({ destination, park: () => store.park(destination, 'key_ended') }))
      return [...waiting, ...((await (await files())?.waiting()) ?? [])].flatMap(({ destination: { account, keyHash }, park }) =>
        account ? { account, park, isFor: (key: Secret) => key.fingerprint(hashKey) === keyHash } : [],
      )
    },
    async reopen(account, key) {
      if (!hasOutbox()) return 0
      const { store, hashKey } = await outbox()
      const destination = { origin: origin(), keyHash: key.fingerprint(hashKey), account }
      return (await store.reopen(destination, 'key_ended')) + ((await (await files())?.reopen(destination)) ?? 0)
    },
  }
}

/**
 * Parks a person's waiting events, under keys that they entered and under a shared key. Resolves with a sentence for the operator if
 * any of them will not be sent.
 */
export async function parkEvents(settings: Settings, owner: string, shared?: ConnectOptions['shared']): Promise<string | undefined> {
  if (!shared && !hasOutbox(settings)) return undefined
  const { store, close } = await openOutbox(settings, { shared, log: undefined, clock: systemClock, telemetry: undefined })
  try {
    const isTheirs = (each: Tally) => each.owner === owner || each.destination.account?.owner === owner
    const theirs = async () => (await store.tally()).filter(isTheirs)
    const destinations = new Map<string, Destination>((await theirs()).map(({ destination }) => [leaseName(destination), destination]))
    // An event that is being sent is parked by its sender if the attempt fails.
    for (const destination of destinations.values()) await store.park(destination, 'person_forgotten', ownerIn(destination, owner))
    await deleteBackfills(settings, owner, shared)
    const unsent = (await theirs()).reduce((sum, { state, entries }) => (state === 'open' ? sum : sum + entries), 0)
    if (unsent === 0) return undefined
    const them = unsent === 1 ? 'it' : 'them'
    return `${count(unsent, 'event')} of this person will not be sent: \`outbox list\` shows ${them}, and \`outbox drop\` deletes ${them}.`
  } finally {
    await close()
  }
}

/** Deletes the files that a person submitted, and the files' records. */
async function deleteBackfills(settings: Settings, owner: string, shared: ConnectOptions['shared']): Promise<void> {
  if (!shared && !hasBackfills(settings)) return
  const [{ openTables }, { forgetBackfills }] = await Promise.all([import('../open-backfills.ts'), import('../backfill/store.ts')])
  const tables = await openTables(settings, { shared, clock: systemClock })
  try {
    await forgetBackfills(tables, owner)
  } finally {
    await tables.close()
  }
}

/** The events in the data directory; a server with a different outbox does not send them. */
export async function unsentEvents(settings: Settings): Promise<readonly string[]> {
  if (!hasOutbox(settings)) return []
  const file = outboxFile(settings)
  const setAside: string[] = []
  // A connection with a different outbox never loads the data directory's.
  const { openOutboxStore } = await import('../outbox/open-outbox-store.ts')
  try {
    const store = await openOutboxStore({ file, clock: systemClock, onSetAside: (moved) => setAside.push(moved) })
    const unsentBodies = (await store.tally()).reduce((sum, { entries }) => sum + entries, 0)
    await store.close()
    const unsent = `${count(unsentBodies, 'body', 'bodies')} in ${file}. A server with --store does not send them: send them first with a server without it, or drop them.`
    return [
      ...(unsentBodies > 0 ? [`Unsent: ${unsent}`] : []),
      ...setAside.map((moved) => `The outbox was damaged; its contents are in ${moved}.`),
    ]
  } catch (error) {
    const failure = storageFailure(error)
    if (!failure) throw error
    return [`Whether ${file} contains unsent events is unknown: ${failure.message}`]
  }
}
