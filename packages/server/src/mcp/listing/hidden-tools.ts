import type { ServerDefinition } from '../definition.ts'
import type { Listing } from './listing.ts'
import { toolsForModels } from './listed-tool.ts'

/** A tool that the server has and does not offer. */
export interface HiddenTool {
  readonly name: string
  /** One sentence. */
  readonly reason: string
}

type Source = Pick<ServerDefinition<never>, 'toolsets' | 'listedTools'>

const isWriting = 'It writes, and this server was started with --read-only.'

/** All tools that an option, or the lack of one, hides. */
export async function hiddenTools({ listedTools, toolsets = {} }: Source, listing: Listing): Promise<readonly HiddenTool[]> {
  const models = toolsForModels(listedTools)
  const own = models.flatMap(({ name }) => {
    const option = listing.hiddenBy(name)
    const reason = option === '--read-only' ? isWriting : 'This server was started with --tools, which leaves it out.'
    return option === undefined ? [] : [{ name, reason }]
  })
  const known = new Set(models.map(({ name }) => name))
  const others = Object.entries(toolsets).map(async ([toolset, { listed }]) =>
    toolsForModels((await listed()).listedTools)
      .filter(({ name }) => !known.has(name))
      .map(({ name, canRead }) => {
        const off = `It is in the toolset ${toolset}, which --toolsets ${toolset} turns on.`
        return { name, reason: listing.isReadOnly && !canRead ? isWriting : off }
      }),
  )
  return [...own, ...(await Promise.all(others)).flat()]
}
