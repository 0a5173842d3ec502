// Runs one of the vendor's SDKs in a separate process, as a small program would use it. Each line of input is a JSON object: the settings
// first, then events to send. Each is answered by a line that says whether the SDK has accepted the events.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** @typedef {{ userId: string, event: string, properties: object }} Event */
/** @typedef {(events: Event[]) => Promise<unknown>} Send */

/** Number of events that a program puts into each request, for an SDK that takes batches unchanged. */
const batchSize = 1_000

/** Waits for each delivery, and throws if one fails. */
/** @type {(library: any) => { send: Send, end: () => Promise<unknown> }} */
function waiting({ PipelinesClient }) {
  const client = new PipelinesClient('pipelines-emulator')
  return {
    async send(events) {
      const [first] = events
      if (events.length === 1) return client.track(first)
      const calls = events.map((event) => ({ type: 'track', ...event }))
      for (let start = 0; start < calls.length; start += batchSize) await client.batch(calls.slice(start, start + batchSize))
    },
    end: () => Promise.resolve(),
  }
}

/** Hands events over to a queue in memory; with `isAwaited`, waits until the queue says that each was delivered. */
/** @type {(library: any, settings: { isAwaited: boolean, maxEventsInBatch?: number }) => { send: Send, end: () => Promise<unknown> }} */
function queueing({ Analytics }, { isAwaited, maxEventsInBatch }) {
  const analytics = new Analytics({ writeKey: 'pipelines-emulator', ...(maxEventsInBatch && { maxEventsInBatch }) })
  /** @type {Map<string, { resolve: (value?: unknown) => void, reject: (error: unknown) => void }>} */
  const pending = new Map()
  analytics.on('track', (/** @type {any} */ { event }) => pending.get(event.userId)?.resolve())
  analytics.on('error', (/** @type {any} */ { reason, ctx }) => pending.get(ctx?.event.userId)?.reject(reason))
  return {
    async send(events) {
      const deliveries = events.map((event) => new Promise((resolve, reject) => pending.set(event.userId, { resolve, reject })))
      for (const event of events) analytics.track(event)
      if (isAwaited) await Promise.all(deliveries)
      else for (const each of deliveries) each.catch(() => undefined)
    },
    end: () => analytics.closeAndFlush(),
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const settings = JSON.parse((await lines.next()).value ?? '{}')
const library = createRequire(`${settings.directory}/`)(settings.package)
const { send, end } = library.PipelinesClient ? waiting(library) : queueing(library, settings)
/** @type {(answer: object) => unknown} */
const answer = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
answer({ ready: true })
for await (const line of lines) {
  const { id, events } = JSON.parse(line)
  const done = events ? send(events) : end()
  done.then(
    () => answer({ id, accepted: true }),
    (error) => answer({ id, accepted: false, problem: String(error.cause ?? error) }),
  )
}
