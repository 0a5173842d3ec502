// The benchmark's Customer.io: a new, empty emulator that reports when each event has arrived.
import { isObject, member } from '../../../packages/core/src/base/json.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import type { Fetch } from '../../../packages/core/src/upstream/index.ts'
import { openUpstream, type Upstream } from '../upstream.ts'

export interface EventVendor extends AsyncDisposable {
  readonly upstream: Upstream
  /** Number of accepted events about each person; a duplicate that the vendor recognizes does not count. */
  readonly accepted: () => ReadonlyMap<string, number>
  /** Resolves when `isDone` returns true for the people whose events have arrived. */
  readonly until: (isDone: (arrived: ReadonlySet<string>) => boolean) => Promise<void>
}

export async function openEventVendor(): Promise<EventVendor> {
  const emulator = pipelinesEmulator({ seed: 'empty' })
  const arrived = new Set<string>()
  let waiting: { readonly isDone: (arrived: ReadonlySet<string>) => boolean; readonly resolve: () => void } | undefined
  const fetch: Fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    for (const person of init?.body instanceof Uint8Array ? peopleIn(Buffer.from(init.body).toString()) : []) {
      arrived.add(person)
    }
    if (waiting?.isDone(arrived) === true) waiting.resolve()
    return response
  }
  const upstream = await openUpstream({ fetch, close: emulator.close })
  return {
    upstream,
    accepted() {
      const events = emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
      return new Map([...Map.groupBy(events, ({ user_id: person }) => person ?? '')].map(([person, each]) => [person, each.length]))
    },
    async until(isDone) {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      waiting = {
        isDone,
        resolve: () => {
          resolve(undefined)
        },
      }
      if (!isDone(arrived)) await promise
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

/** The people whom the calls in a body are about. */
function peopleIn(text: string): string[] {
  const body: unknown = JSON.parse(text)
  const batch = member(body, 'batch')
  const calls: readonly unknown[] = Array.isArray(batch) ? batch : [body]
  return calls.filter(isObject).map((call) => String(call['userId']))
}
