import { InvalidInput, storageFailure, Unauthenticated, withDetails } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { PipelinesClient, PostRequest } from './client.ts'

/** The body of the check. */
export const keyCheckBody = '{"batch":[]}'

/** Resolves if the vendor accepts the key. Nothing is stored: strict mode answers 401 to a bad key, and 400 to a batch without items. */
export async function checkKey({ post }: PipelinesClient, scope: CallScope, holds: PostRequest['holds'] = 'ignore'): Promise<void> {
  try {
    await post({ name: 'batch', body: keyCheckBody, strict: true, isRepeatable: true, holds, scope })
  } catch (error) {
    if (!(error instanceof InvalidInput) || error.details.httpStatus !== 400) throw error
  }
}

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
