import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { eventPipeline } from '../../../../servers.ts'
import { refusalFault, type Refusal } from './faults.ts'
import type { Incident } from './network.ts'
import { examplesOf, linesOf, tooManyRequests, toolsOf, type Vendor } from './vendor.ts'

const apiKey = 'keyOfTheReliabilitySuite0'

const error = (message: string) => ({ meta: { errors: [message] } })

const badRequest: Refusal = { name: 'HTTP 400', class: 'permanent', code: 'invalid_input', status: 400, body: error('userId is required') }

/** https://docs.customer.io/api/cdp/#section/Errors: it documents no rate limit other than 429, and one reason for 403. */
const refusals: readonly Refusal[] = [
  badRequest,
  { name: 'HTTP 401', class: 'permanent', code: 'unauthenticated', status: 401, body: error('Unauthorized') },
  { name: 'HTTP 403: no permission', class: 'permanent', code: 'unauthenticated', status: 403, body: error('Forbidden') },
  { name: 'HTTP 404', class: 'permanent', code: 'unavailable', status: 404, body: error('Not found') },
  { name: 'HTTP 409', class: 'permanent', code: 'unavailable', status: 409, body: error('Conflict') },
  ...tooManyRequests({ status: 429, body: error('Slow down') }),
]

/** Leaves an event that the vendor has refused in the outbox; the preceding check of the key succeeds. */
const refusedEvent = {
  tool: 'TrackUserEvent',
  fail: (incident: Incident) => (incident.exchange.url.endsWith('/track') ? refusalFault(badRequest).fail(incident) : incident.forward()),
} as const

export const pipelines: Vendor = {
  server: eventPipeline,
  tools: await toolsOf(eventPipeline),
  secrets: [apiKey, Buffer.from(`${apiKey}:`).toString('base64')],
  refusals,
  async open(clock) {
    const emulator = pipelinesEmulator({ seed: 'empty', apiKey, now: clock.now })
    return {
      fetch: emulator.fetch,
      options: { apiKey },
      calls: await examplesOf(eventPipeline),
      failedBefore: { SendWaitingEvent: refusedEvent, DropWaitingEvent: refusedEvent },
      // A duplicate has no effect at the vendor.
      state: () =>
        linesOf(
          'events',
          emulator.store
            .events()
            .filter(({ outcome }) => outcome === 'accepted')
            .map(({ type, event, user_id, body }) => ({ type, event, user_id, body })),
        ).sort(),
      changes: () => emulator.store.events().length,
      reset: emulator.reset,
      [Symbol.asyncDispose]: emulator.close,
    }
  },
}
