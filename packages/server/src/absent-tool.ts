import { rank } from '@mcp-toolkits/core/matching'
import { bare, type Listing } from './listing.ts'

/** Names less alike than this are no slip of the pen. */
const closeEnough = 0.7

/** What a caller is told who names a tool that is not offered: why it is left out, or which one has nearly that name. */
export function absentTool(name: string, prefix: string, listing: Listing): string {
  const absent = `Unknown tool: ${name}`
  switch (listing.leftOutBy(name)) {
    case '--read-only':
      return `${absent}. It writes, and this server was started with --read-only.`
    case '--tools':
      return `${absent}. This server was started with --tools, which leaves it out.`
    case undefined: {
      const names = listing.tools.map((tool) => tool.name)
      const [nearest] = rank(
        bare(name, prefix),
        names.map((each) => bare(each, prefix)),
      )
      const closest = nearest && nearest.confidence >= closeEnough ? names[nearest.index] : undefined
      return closest === undefined ? absent : `${absent}. Closest: ${closest}.`
    }
  }
}
