import { expect, it } from 'vitest'
import { ManualClock, manualScope } from '../../test/manual-clock.ts'
import { RateLimited, Unavailable } from '../errors/errors.ts'
import type { MeasuredRequest, MeasuredWait, Telemetry } from './telemetry.ts'
import { retryAfterMs } from './attempts.ts'
import type { CompleteResponse } from './transport/response.ts'
import { createTransport } from './transport/transport.ts'
import { memoryLimits } from './transport/limits/upstream-limits.ts'

/** A transport to a vendor that gives `answers` to successive attempts, and the measurements. */
function measured(answers: readonly (() => Promise<Response>)[]) {
  const requests: (MeasuredRequest & { readonly status: number | undefined; readonly failed: boolean })[] = []
  const waits: MeasuredWait[] = []
  const telemetry: Telemetry = {
    startRequest(request) {
      let [status, failed]: [number | undefined, boolean] = [undefined, false]
      return {
        onStatus: (each) => (status = each),
        onError: () => (failed = true),
        end: () => requests.push({ ...request, status, failed }),
      }
    },
    waited: (wait) => waits.push(wait),
    tokenRefreshed: () => undefined,
    inBackground: (work) => work(),
    watchBacklog: () => () => undefined,
  }
  const clock = new ManualClock()
  const left = [...answers]
  const fetch = () => left.shift()?.() ?? Promise.reject(new TypeError('fetch failed'))
  const transport = createTransport({ fetch, vendor: 'Acme', limits: memoryLimits(clock), random: () => 0.5, telemetry })
  const read = (response: CompleteResponse) => {
    const waitMs = retryAfterMs(response, clock)
    if (response.status === 429) throw new RateLimited('Slow down.', waitMs === undefined ? {} : { retryAfterSeconds: waitMs / 1_000 })
    if (response.status === 503) throw new Unavailable('Down.')
    return response.text
  }
  return { requests, waits, transport, read, scope: manualScope({ clock }) }
}

const url = 'https://acme.example/things/7?q=content'
const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    Promise.resolve(new Response('x', { status, headers }))

it('sees each attempt with its status, and each wait between two', async () => {
  const { transport, requests, waits, read, scope } = measured([
    answer(503),
    () => Promise.reject(new TypeError('fetch failed')),
    answer(429, { 'retry-after': '2' }),
    answer(200),
  ])
  const request = { url, method: 'POST', headers: { authorization: 'Bearer canary' }, body: 'canary', operation: 'things' }
  expect(await transport.send(request, read, scope)).toBe('x')
  const sent = { url, method: 'POST', operation: 'things' }
  expect(requests).toEqual([
    { ...sent, retries: 0, status: 503, failed: false },
    { ...sent, retries: 1, status: undefined, failed: true },
    { ...sent, retries: 2, status: 429, failed: false },
    { ...sent, retries: 3, status: 200, failed: false },
  ])
  expect(waits).toEqual([
    { url, reason: 'backoff', ms: 150 },
    { url, reason: 'backoff', ms: 300 },
    { url, reason: 'rate limit', ms: 2_000 },
  ])
})

it('sees a request whose response is read as it arrives, until its end', async () => {
  const { transport, requests, scope } = measured([answer(206), answer(404)])
  const request = { url, method: 'GET', silenceMs: 1_000 }
  expect(await transport.stream({ ...request, isRetry: false }, (response) => response.text(), scope)).toBe('x')
  const failing = transport.stream({ ...request, isRetry: true }, () => Promise.reject(new Unavailable('Broken off.')), scope)
  await expect(failing).rejects.toThrow('Broken off.')
  const sent = { url, method: 'GET', operation: undefined }
  expect(requests).toEqual([
    { ...sent, retries: 0, status: 206, failed: false },
    { ...sent, retries: 1, status: 404, failed: true },
  ])
})
