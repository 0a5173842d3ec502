import { type Secret, withAuthorization } from '../credentials.ts'
import type { Fetch } from '../http.ts'
import type { Account } from './account.ts'

/**
 * A fetch that sends requests as a signed-in person: to one origin, and never on across a redirect. When the vendor refuses the token
 * (HTTP 401), the request is sent once more with another one.
 */
export function signedIn(fetch: Fetch, origin: string, account: Pick<Account, 'token' | 'tokenAfter' | 'refusal'>): Fetch {
  const send = (request: Request, token: Secret, signal: AbortSignal) =>
    withAuthorization(fetch, origin, `Bearer ${token.reveal()}`)(request, { signal })
  return async (input, init) => {
    const request = new Request(input, init)
    // A request made from another one lets go of its signal when garbage is collected (nodejs/undici#3644).
    const signal = init?.signal ?? (input instanceof Request ? input.signal : request.signal)
    const again = request.clone()
    const token = await account.token(signal)
    const response = await send(request, token, signal)
    if (response.status !== 401) return response
    await response.body?.cancel()
    const answer = await send(again, await account.tokenAfter(token, signal), signal)
    if (answer.status !== 401) return answer
    throw account.refusal()
  }
}
