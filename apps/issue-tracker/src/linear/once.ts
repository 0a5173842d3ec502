import { Conflict } from '@mcp-toolkits/core'

/** What was created, and whether an earlier attempt had done it already. */
export interface Once<Created> {
  readonly record: Created
  readonly earlier: boolean
}

/**
 * Creates something under an id that we minted. Linear refuses an id that it has: then an attempt whose answer was lost has got through,
 * and what it made is read back.
 */
export async function once<Created>(create: () => Promise<Created>, existing: () => Promise<Created>): Promise<Once<Created>> {
  try {
    return { record: await create(), earlier: false }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    return { record: await existing(), earlier: true }
  }
}
