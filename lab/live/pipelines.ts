import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, type TestContext } from 'vitest'
import { accountOf, type Account } from '../../apps/event-pipeline/src/upstream.ts'
import { basicAuthorization, readBaseUrl, Secret, type Environment } from '../../packages/core/src/upstream/credentials.ts'
import { objectsIn, parsed } from './json.ts'
import { prefix, runOf, withoutKey } from './questions.ts'

export interface Sending {
  readonly strict?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** The account to use instead of the environment's. */
  readonly to?: Account
}

/** The part of an answer that says nothing about the account. */
export interface Answered {
  readonly status: number
  readonly body: unknown
  /** The Retry-After header, if there is one. */
  readonly retryAfter?: string
}

/** A body; an object is sent as JSON, text and bytes unchanged. */
export type Body = object | string | Uint8Array<ArrayBuffer>

/** A test source at Customer.io, with a way to find out what became of its calls. */
export interface Source {
  readonly account: Account
  readonly send: (endpoint: string, body: Body, sending?: Sending) => Promise<Answered>
  /** Returns a name unique to this run and purpose. */
  readonly named: (purpose: string) => string
  /** Returns an id for a person, who is deleted when the test ends. */
  readonly person: (purpose: string) => string
  /** When the test ends, deletes a person with a different kind of id. */
  readonly forget: (userId: string) => void
  /** Skips the test if no webhook shows what arrives. */
  readonly needsLook: (context: TestContext) => void
  /** The messages that arrived, in order of arrival, once everything sent before is processed. */
  readonly arrived: (...messageIds: readonly string[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

const lookEvery = 1000
const lookFor = 300_000

/** The reason why questions cannot be asked; undefined if they can. */
export const missingKey = ({ EVENT_PIPELINE_API_KEY: key }: Environment) =>
  key === undefined ? 'Set EVENT_PIPELINE_API_KEY to the key of a source that exists for testing.' : undefined

/** The account in the environment, as the server reads it. */
function accountIn(environment: Environment): Account {
  const account = accountOf({ environment, embedded: false, dataDirectory: '', readOnly: false, toolNames: 'safe' })
  if (account === undefined) throw new Error('EVENT_PIPELINE_API_KEY is not set.')
  return account
}

/** The same key at the other region's host; undefined if that host is unknown. */
export function otherRegion(environment: Environment): Account | undefined {
  const { EVENT_PIPELINE_API_URL: here, EVENT_PIPELINE_REGION: region = 'us', ...rest } = environment
  const url = readBaseUrl(environment, 'LIVE_OTHER_REGION_URL')
  if (url === undefined && here !== undefined) return undefined
  const there = accountIn({ ...rest, EVENT_PIPELINE_REGION: region.toLowerCase() === 'eu' ? 'us' : 'eu' })
  return { ...there, ...(url !== undefined && { url }) }
}

/** The same host with a key that does not exist. */
export const strangerAt = ({ url }: Account): Account => ({ url, key: new Secret(`${prefix}no-such-key`) })

/** Opens the test source in the environment. */
export function openSource(environment: Environment): Source {
  const account = accountIn(environment)
  const run = runOf(environment)
  const look = readBaseUrl(environment, 'LIVE_EVENTS_URL')
  const named = (purpose: string) => `${prefix}${run}-${purpose}`
  const send: Source['send'] = (endpoint, body, { strict = true, headers, to = account } = {}) =>
    post(to, endpoint, {
      headers: { 'content-type': 'application/json', ...(strict && { 'x-strict-mode': '1' }), ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    })
  const forget = (userId: string) => {
    onTestFinished(async () => {
      await send('track', { userId, event: 'User Deleted' })
    })
  }
  const listed = async () => {
    if (look === undefined) throw new Error('LIVE_EVENTS_URL is not set.')
    const response = await fetch(look, { redirect: 'error' })
    if (!response.ok) throw new Error(`LIVE_EVENTS_URL answered ${response.status}.`)
    return objectsIn(parsed(await response.text())).filter((each) => typeof each['messageId'] === 'string')
  }
  /** Sends a call and waits until it has arrived. */
  const mark = async () => {
    const messageId = named(`mark-${randomUUID()}`)
    expect(await send('track', { anonymousId: named('mark'), event: named('mark'), messageId })).toEqual(accepted)
    await expect
      .poll(async () => (await listed()).filter((each) => each['messageId'] === messageId).length, {
        interval: lookEvery,
        timeout: lookFor,
      })
      .toBeGreaterThan(0)
    return messageId
  }
  return {
    account,
    send,
    named,
    forget,
    person(purpose) {
      const userId = named(purpose)
      forget(userId)
      return userId
    },
    needsLook(context) {
      context.skip(look === undefined, 'Set LIVE_EVENTS_URL to where the events that arrive can be read: docs/live.md says how.')
    },
    async arrived(...messageIds) {
      // The second mark is sent only after the first has arrived, which leaves slower calls twice the time that an event takes.
      const [first, second] = [await mark(), await mark()]
      const all = await listed()
      const place = (wanted: string) => all.findIndex(({ messageId }) => messageId === wanted)
      const oldestFirst = place(first) < place(second) ? all : all.toReversed()
      return oldestFirst.filter(({ messageId }) => messageIds.some((wanted) => wanted === messageId))
    },
  }
}

/** The answer to an accepted call, the same in both modes. */
export const accepted: Answered = { status: 200, body: {} }

async function post({ url, key }: Account, endpoint: string, init: Pick<RequestInit, 'headers' | 'body'>): Promise<Answered> {
  const headers = new Headers(init.headers)
  const authorization = basicAuthorization(key)
  headers.set('authorization', authorization)
  const response = await fetch(`${url}/${endpoint}`, { ...init, headers, method: 'POST', redirect: 'manual' })
  const text = withoutKey(await response.text(), [authorization, key.reveal()])
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, body: parsed(text), ...(retryAfter !== null && { retryAfter }) }
}
