import { NotFound } from '@mcp-toolkits/core'
import type { LinearClient } from '../linear/client.ts'
import { issueByReference } from '../linear/issues.ts'
import { issueNamed } from '../linear/references.ts'

/**
 * The issue that a filter missed because it is named by an identifier that it had in another team; undefined when there is none. Costs
 * a request where the reference could be an identifier.
 */
export async function formerly(
  linear: LinearClient,
  reference: string,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly identifier: string } | undefined> {
  const id = issueNamed(reference)
  if (!/^[a-z][a-z0-9]*-[1-9]\d*$/i.test(id)) return undefined
  try {
    return (await linear.run(issueByReference, { id }, signal)).issue
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
