import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@mcp-toolkits/core/base'
import type { HttpLimits } from './limits.ts'
import { reply } from '../refusals.ts'

/**
 * Requests that need no token: those to the pages for people and to the authorization server. Only a few are answered at a time, which
 * leaves the rest of the server to people's calls. Requests whose bodies do not arrive make room for other requests.
 */
export class AnonymousRequests {
  readonly #limits: Pick<HttpLimits, 'maxAnonymous' | 'anonymousBodyMs'>
  readonly #clock: Clock
  /** Requests in order of arrival. */
  readonly #requests = new Map<ServerResponse, IncomingMessage>()

  constructor(limits: Pick<HttpLimits, 'maxAnonymous' | 'anonymousBodyMs'>, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Counts a request until its response has closed; false if there are too many. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#requests.size >= this.#limits.maxAnonymous && !this.#makeRoom()) return false
    this.#requests.set(response, request)
    const timer = this.#clock.timer(this.#limits.anonymousBodyMs, () => {
      if (request.complete || response.headersSent) return
      response.setHeader('connection', 'close')
      reply(response, 408, { error: 'The request body did not arrive in time.' })
    })
    response.once('close', () => {
      timer.cancel()
      this.#requests.delete(response)
    })
    return true
  }

  #makeRoom(): boolean {
    for (const [response, { complete }] of this.#requests) {
      if (complete) continue
      this.#requests.delete(response)
      response.destroy()
      return true
    }
    return false
  }
}
