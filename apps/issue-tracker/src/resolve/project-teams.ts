import { InvalidInput } from '@mcp-toolkits/core'
import type { Candidate } from '@mcp-toolkits/core/matching'

export interface ProjectTeams {
  readonly name: string
  readonly before: readonly { readonly id: string }[]
  /** Whether it has more of them than were read. */
  readonly hasMore: boolean
}

export interface TeamChange {
  readonly added: readonly Candidate[]
  readonly removed: readonly Candidate[]
}

/**
 * The teams of a project after a change, all of them, for Linear only replaces them as a whole; undefined where they stay as they are.
 * Throws `InvalidInput` for a change that cannot be made.
 */
export function teamsAfter({ name, before, hasMore }: ProjectTeams, { added, removed }: TeamChange): readonly string[] | undefined {
  if (hasMore)
    throw new InvalidInput(`Project "${name}" has more than 100 teams, and a change could lose some. Change its teams in Linear itself.`)
  const both = added.find(({ id }) => removed.some((one) => one.id === id))
  if (both) throw new InvalidInput(`Team "${both.name}" is in both teams_to_add and teams_to_remove. Leave it in one of them.`)
  const kept = before.filter(({ id }) => !removed.some((one) => one.id === id))
  const after = [...new Set([...kept, ...added].map(({ id }) => id))]
  if (after.length === 0)
    throw new InvalidInput(
      `A project has at least one team, and this would take the last one from "${name}". Name another in teams_to_add, or leave one.`,
    )
  const isSame = after.length === before.length && before.every(({ id }) => after.includes(id))
  return isSame ? undefined : after
}
