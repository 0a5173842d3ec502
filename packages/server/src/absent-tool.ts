import { rank } from '@mcp-toolkits/core/matching'
import { bare, type Listing } from './listing.ts'

/** Names less alike than this are no slip of the pen. */
const closeEnough = 0.7

/** Why a tool is not offered, in one sentence: an option leaves it out, or another has nearly that name. Undefined where nothing is known. */
export function whyAbsent(name: string, prefix: string, listing: Listing): string | undefined {
  switch (listing.leftOutBy(name)) {
    case '--read-only':
      return 'It writes, and this server was started with --read-only.'
    case '--tools':
      return 'This server was started with --tools, which leaves it out.'
    case undefined: {
      const names = listing.tools.map((tool) => tool.name)
      const [nearest] = rank(
        bare(name, prefix),
        names.map((each) => bare(each, prefix)),
      )
      const closest = nearest && nearest.confidence >= closeEnough ? names[nearest.index] : undefined
      return closest && `Closest: ${closest}.`
    }
  }
}
