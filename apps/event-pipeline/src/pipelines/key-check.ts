import { InvalidInput } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { PipelinesClient, PostRequest } from './client.ts'

export const keyCheckBody = '{"batch":[]}'

/** Resolves if the vendor accepts the key. Nothing is stored: strict mode returns 401 for a bad key, and 400 for a batch without items. */
export async function checkKey({ post }: PipelinesClient, scope: CallScope, holds: PostRequest['holds'] = 'ignore'): Promise<void> {
  try {
    await post({ name: 'batch', body: keyCheckBody, strict: true, isRepeatable: true, holds, scope })
  } catch (error) {
    if (!(error instanceof InvalidInput) || error.details.httpStatus !== 400) throw error
  }
}
