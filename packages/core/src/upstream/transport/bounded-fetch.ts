import type { CallScope } from '../../tool/call/call-deadline.ts'
import type { CompleteResponse, Fetch } from './response.ts'
import type { SendOptions, Transport, TransportRequest } from './transport.ts'

export interface BoundedOptions extends Omit<SendOptions, keyof TransportRequest> {
  /** The body to send instead of the library's, which would be copied and read as text. */
  readonly bytes?: TransportRequest['body']
}

/**
 * A transport in the form of a library's fetch, so the library needs no retries, timeouts or size limits of its own. The library never sees
 * the credential. `check` sees each complete response and throws typed errors; the library gets the first response that passes.
 */
export function boundedFetch(
  { send }: Transport,
  { bytes, ...options }: BoundedOptions,
  check: (response: CompleteResponse) => void,
  scope: CallScope,
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { url, method } = request
    const body = bytes ?? (request.body ? await request.text() : undefined)
    const read = (response: CompleteResponse) => {
      check(response)
      const { status, headers, text } = response
      return new Response(text === '' ? null : text, { status, headers })
    }
    return send({ ...options, url, method, headers: Object.fromEntries(request.headers), body }, read, scope)
  }
}
