import { type Fetch, Unauthenticated, withDetails } from '@mcp-toolkits/core'
import { storageFailure } from '@mcp-toolkits/core/system-error'

/** The person has removed or replaced the key; nothing was sent with it. */
export class KeyEnded extends Unauthenticated {}

/** A fetch that sends nothing with a key that its person has removed or replaced. Throws `KeyEnded`, and `Unavailable` while that is not known. */
export function withKeyCheck(fetch: Fetch, parkUnlessKeyPresent: () => Promise<boolean>): Fetch {
  return async (input, init) => {
    const isPresent = await parkUnlessKeyPresent().catch((error: unknown) => {
      const failure = storageFailure(error)
      throw failure ? withDetails(failure, failure.text, { ...failure.details, sent: 'no' }) : error
    })
    if (!isPresent) throw new KeyEnded('The person has removed or replaced the API key for this event.')
    return fetch(input, init)
  }
}
