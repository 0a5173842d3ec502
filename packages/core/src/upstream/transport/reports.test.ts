import { describe, expect, it } from 'vitest'
import { Forbidden, RateLimited, ToolError, Unauthenticated, Unavailable } from '../../errors/errors.ts'
import { ManualClock, manualScope } from '../../../test/manual-clock.ts'
import { createTransport, ResponseTimeout, type SendOptions } from './transport.ts'
import type { Admission, AttemptReport, LimitedRequest } from './limits/upstream-limits.ts'

const admitted: Admission = { kind: 'admitted' }
const url = 'http://acme.example/'
const networkError = (cause?: unknown) => new TypeError('fetch failed', { cause })

/** A transport whose requests and use of limits a test can inspect; the limits return `admissions` in turn. */
function observed(respond: () => Promise<Response>, ...admissions: Admission[]) {
  const clock = new ManualClock()
  const sent: RequestInit[] = []
  const asked: LimitedRequest[] = []
  const reports: AttemptReport[] = []
  const transport = createTransport({
    fetch(_, init) {
      sent.push(init ?? {})
      return respond()
    },
    vendor: 'Acme',
    limits: {
      admit(request) {
        asked.push(request)
        return Promise.resolve(admissions[asked.length - 1] ?? admitted)
      },
      release: () => Promise.resolve(),
      report(_, report) {
        reports.push(report)
        return Promise.resolve(0)
      },
    },
    random: () => 0,
  })
  const controller = new AbortController()
  const scope = manualScope({ clock, signal: controller.signal })
  const asError = (error: unknown) => (error instanceof ToolError ? error.toJSON() : error)
  const send = (read: () => string, options: Partial<SendOptions> = {}) =>
    transport.send({ url, method: 'POST', ...options }, read, scope).catch(asError)
  const stream = (read: () => Promise<string>) =>
    transport.stream({ url, method: 'GET', operation: 'download', isRetry: true, silenceMs: 1_000 }, read, scope).catch(asError)
  return { transport, clock, sent, asked, reports, controller, scope, send, stream }
}

const respond = () => Promise.resolve(new Response('x'))
const fail = (error: unknown) => (): never => {
  throw error
}

describe('a request', () => {
  it('is sent unchanged, and each repeat says which attempt it is', async () => {
    const first = observed(respond)
    await first.send(() => 'read', { method: 'GET' })
    expect(Object.keys(first.sent[0] ?? {}).toSorted()).toEqual(['method', 'redirect', 'signal'])
    const repeated = observed(respond)
    await repeated.send(fail(new Unavailable('No.')), { headers: { a: 'b' }, body: 'x', maxAttempts: 2 })
    expect(repeated.sent).toMatchObject([
      { method: 'POST', redirect: 'manual', headers: { a: 'b' }, body: 'x' },
      { method: 'POST', redirect: 'manual', headers: { a: 'b', 'X-Retry-Count': '1' }, body: 'x' },
    ])
    expect(repeated.sent[0]?.headers).toEqual({ a: 'b' })
    expect(repeated.asked.map(({ isRetry }) => isRetry)).toEqual([false, true])
  })

  it.each<[string, () => string, AttemptReport]>([
    ['answered', () => 'read', { outcome: 'answered', holds: [] }],
    ['refused to one caller', fail(new Forbidden('No.')), { outcome: 'answered', holds: [] }],
    ['failed by the vendor', fail(new Unavailable('No.')), { outcome: 'failed', holds: [] }],
    ['slowed down', fail(new RateLimited('No.')), { outcome: 'refused', holds: [{ covers: 'operation', ms: undefined }] }],
    [
      'slowed down for a time',
      fail(new RateLimited('No.', { retryAfterSeconds: 3 })),
      { outcome: 'refused', holds: [{ covers: 'operation', ms: 3_000 }] },
    ],
  ])('that is %s is reported, streamed or not', async (_, read, report) => {
    const { send, stream, reports, asked } = observed(respond)
    await send(read, { repeat: 'never' })
    await stream(() => Promise.resolve().then(read))
    expect(reports).toEqual([report, report])
    expect(asked[1]).toMatchObject({ operation: 'download', isRetry: true })
  })

  it.each<[string, Error, AttemptReport['outcome']]>([
    ['was lost', networkError(), 'failed'],
    ['got no token', new Unauthenticated('No.'), 'abandoned'],
    ['got no token for now', new Unavailable('No.'), 'abandoned'],
    ['could not be sent', new Error('defect'), 'abandoned'],
  ])('that %s is reported', async (_, error, outcome) => {
    const { send, reports } = observed(() => Promise.reject(error))
    await send(() => 'never read', { repeat: 'never' })
    expect(reports).toEqual([{ outcome }])
  })

  it('whose caller gave up is reported as abandoned, streamed or not', async () => {
    for (const kind of ['send', 'stream'] as const) {
      const observation = observed(() => {
        observation.controller.abort(new Error('left'))
        return Promise.reject(networkError())
      })
      const ended = kind === 'send' ? observation.send(() => '') : observation.stream(() => Promise.resolve(''))
      expect(await ended).toEqual(new Error('left'))
      expect(observation.reports).toMatchObject([{ outcome: 'abandoned' }])
    }
  })
})

describe('an error', () => {
  it.each<[Error, string]>([
    [networkError(), 'The connection to Acme broke off before it answered.'],
    [networkError(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })), 'Acme could not be reached (ECONNREFUSED).'],
    [
      networkError(Object.assign(new Error('x', { cause: Object.assign(new Error('y'), { code: 'ECONNRESET' }) }), { code: 7 })),
      'The connection to Acme broke off (ECONNRESET) before it answered.',
    ],
    [new TypeError('terminated'), 'The connection to Acme broke off before it answered.'],
    ...['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'].map((code): [Error, string] => [
      networkError(Object.assign(new Error('x'), { code })),
      `Acme could not be reached (${code}).`,
    ]),
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'].map(
      (code): [Error, string] => [
        networkError(Object.assign(new Error('x'), { code })),
        `Acme's certificate is not trusted (${code}). If your network inspects TLS, set NODE_EXTRA_CA_CERTS to its certificate authority's file, or NODE_USE_SYSTEM_CA to 1.`,
      ],
    ),
    ...[403, 407, 502].map((status): [Error, string] => [
      networkError(Object.assign(new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`), { code: 'UND_ERR_ABORTED' })),
      `This network's proxy opened no connection to Acme (HTTP ${status}).${status < 500 ? ' Check HTTPS_PROXY, and what the proxy allows.' : ''}`,
    ]),
    [new TypeError('defect'), 'The request to Acme could not be sent.'],
  ])('for %o says what is known', async (error, message) => {
    const { send } = observed(() => Promise.reject(error))
    expect(await send(() => 'never read', { repeat: 'never' })).toMatchObject({ code: 'unavailable', message })
  })

  it.each([
    { is: 'a write whose connection broke', codes: ['ECONNRESET'], options: {}, expected: true },
    { is: 'a write whose repeat was refused', codes: ['ECONNRESET', 'ECONNREFUSED'], options: { maxAttempts: 2 }, expected: true },
    { is: 'a write that never left', codes: ['ECONNREFUSED'], options: {}, expected: false },
    { is: 'a read by POST', codes: ['ECONNRESET'], options: { isWrite: false }, expected: false },
    { is: 'a read', codes: ['ECONNRESET'], options: { method: 'GET' }, expected: false },
  ])('for $is says whether it may have arrived', async ({ codes, options, expected }) => {
    const left = [...codes]
    const { transport, scope } = observed(() => Promise.reject(networkError(Object.assign(new Error('x'), { code: left.shift() }))))
    const sending = transport.send({ url, method: 'POST', maxAttempts: 1, ...options }, () => '', scope)
    await expect(sending).rejects.toHaveProperty('details', expected ? { sent: 'maybe' } : {})
    expect(left).toEqual([])
  })

  class Refused extends Forbidden {}

  it.each([
    new Refused('No.'),
    new RateLimited('No.', { retryAfterSeconds: 60 }),
    new Unavailable('No.'),
    new Unauthenticated('No.', { sent: 'no' }),
  ])('for a write still says that an earlier attempt may have arrived, and keeps its class: %o', async (refusal) => {
    for (const isOfFetch of [true, false]) {
      let attempts = 0
      const { transport, scope } = observed(() => {
        attempts += 1
        return isOfFetch || attempts === 1 ? Promise.reject(attempts === 1 ? networkError() : refusal) : respond()
      })
      const request = { url, method: 'POST', maxAttempts: 2 }
      const error: unknown = await transport.send(request, fail(refusal), scope).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(refusal.constructor)
      expect(error).toMatchObject({ code: refusal.code, message: 'No.', details: { ...refusal.details, sent: 'maybe' } })
      expect([attempts, refusal.details.sent === 'maybe']).toEqual([2, false])
    }
  })

  it('for a write that is streamed and gets no answer says that it may have arrived', async () => {
    const { transport, scope, clock } = observed(() => new Promise<never>(() => undefined))
    const request = { url, method: 'DELETE', isRetry: false, silenceMs: 1_000 }
    const sending = expect(transport.stream(request, () => Promise.resolve(''), scope)).rejects.toHaveProperty('details', { sent: 'maybe' })
    await clock.advance(1_000)
    await sending
  })

  it('names the seconds of the request, however long the process has run', async () => {
    const { send, clock } = observed(() => new Promise<never>(() => undefined))
    await clock.advance(100_000)
    const { scope } = observed(respond)
    expect(scope.remainingMs()).toBe(28_000)
    const slow = observed(() => new Promise<never>(() => undefined))
    const error = slow.send(() => 'never read', { repeat: 'never' })
    await slow.clock.advance(8_000)
    expect(await error).toMatchObject({ message: 'Acme did not answer within 8 seconds.' })
    expect(await send(() => 'never read')).toMatchObject({ message: 'There was no time left to ask Acme. Try again.' })
  })

  it('for a request that the limits refuse says why and for how long', async () => {
    const refused = (reason: 'rate limit' | 'circuit open'): Admission => ({ kind: 'refused', reason, retryAfterMs: 1_500 })
    expect(await observed(respond, refused('rate limit')).send(() => '')).toMatchObject({
      code: 'rate_limited',
      message: 'Acme is refusing requests for now, so none was sent.',
      retry_after_seconds: 2,
    })
    expect(await observed(respond, refused('circuit open')).send(() => '')).toMatchObject({
      code: 'unavailable',
      message: 'Acme has failed several times in a row, so nothing was sent this time.',
      retry_after_seconds: 2,
    })
  })

  it('says that nothing was sent, and names no time where a retry was refused', async () => {
    const refused = (reason: 'rate limit' | 'retry budget'): Admission => ({ kind: 'refused', reason, retryAfterMs: 0 })
    const request = { url, method: 'GET', isRetry: true, silenceMs: 1_000 }
    for (const reason of ['rate limit', 'retry budget'] as const) {
      const { transport, scope } = observed(respond, refused(reason))
      const error: unknown = await transport.stream(request, () => Promise.resolve(''), scope).catch((thrown: unknown) => thrown)
      expect(error).toHaveProperty('details', { sent: 'no' })
    }
    const late = observed(respond)
    await late.clock.advance(28_000)
    const error: unknown = await late.transport.send({ url, method: 'GET' }, () => '', late.scope).catch((thrown: unknown) => thrown)
    expect(error).toHaveProperty('details', { sent: 'no' })
    expect(error).not.toBeInstanceOf(ResponseTimeout)
    expect(late.sent).toEqual([])
  })

  it.each([
    [1_500, {}, 2],
    [0, {}, undefined],
    [1_500, { retryAfterSeconds: 0 }, 0],
  ])('of the last attempt is thrown for a repeat that is refused for %i ms after %j', async (retryAfterMs, details, seconds) => {
    const { send, sent } = observed(respond, admitted, { kind: 'refused', reason: 'retry budget', retryAfterMs })
    const error = await send(fail(new Unavailable('HTTP 503.', details)))
    expect(error).toMatchObject({ code: 'unavailable', message: 'HTTP 503.' })
    expect(error).toHaveProperty('retryable', true)
    if (seconds === undefined) expect(error).not.toHaveProperty('retry_after_seconds')
    else expect(error).toHaveProperty('retry_after_seconds', seconds)
    expect(sent).toHaveLength(1)
  })
})
