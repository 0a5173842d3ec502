import { NotFound } from '@mcp-toolkits/core'

export interface Sought {
  readonly kind: string
  readonly wanted: string
  /** The tool that lists what there is, by its canonical name. */
  readonly listedBy: string
}

/** Rewords Linear's "not found" for a look-up by reference, which names neither the reference nor what to do. */
export async function sought<Data>({ kind, wanted, listedBy }: Sought, lookup: Promise<Data>): Promise<Data> {
  try {
    return await lookup
  } catch (error) {
    throw error instanceof NotFound ? notFound({ kind, wanted, listedBy }) : error
  }
}

/** A reference to nothing, and where to look. */
export function notFound({ kind, wanted, listedBy }: Sought): NotFound {
  return new NotFound(`No ${kind} has the reference "${wanted}". ${listedBy} finds it by other means.`, { next: { tool: listedBy } })
}
