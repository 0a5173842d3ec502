import { InvalidInput } from '@mcp-toolkits/core'
import type { Candidate } from '@mcp-toolkits/core/matching'
import type { Label } from '../linear/issue-references.ts'
import { candidate } from './candidates.ts'
import type { Question } from './references.ts'

/** Labels that an issue can have: a group only holds them. */
export function applicable(labels: readonly Label[]): Candidate[] {
  return labels.filter(({ is_group: isGroup }) => !isGroup).map(candidate)
}

/** What the names of labels could mean among those that were found. */
export function labelQuestion(wanted: readonly string[] | undefined, found: readonly Label[]): Question {
  return {
    kind: 'label',
    wanted,
    found: applicable(found),
    ineligible: {
      candidates: found.filter(({ is_group: isGroup }) => isGroup).map(candidate),
      explain: ({ name }) => ({
        message: `"${name}" is a group of labels, and an issue can only have one of its labels. Name that label.`,
      }),
    },
    listTool: { tool: 'IssueTracker.ListLabels', arguments: { limit: 100 } },
  }
}

/** Refuses labels of which an issue can have one only. Throws `InvalidInput`. */
export function refuseRivals(labels: readonly Label[]): void {
  const distinct = [...new Map(labels.map((each) => [each.id, each])).values()]
  const groups = Map.groupBy(
    distinct.filter(({ parent }) => parent),
    ({ parent }) => parent?.id,
  )
  for (const [first, ...others] of groups.values()) {
    if (!first || others.length === 0) continue
    const names = [first, ...others].map(({ name }) => `"${name}"`).join(' and ')
    throw new InvalidInput(`${names} are of one group, "${first.parent?.name ?? ''}": an issue has at most one label of it. Keep one.`)
  }
}

/** Refuses a label that is to be added and removed. Throws `InvalidInput`. */
export function refuseBoth(added: readonly Candidate[], removed: readonly Candidate[]): void {
  const both = added.find(({ id }) => removed.some((one) => one.id === id))
  if (both) throw new InvalidInput(`Label "${both.name}" is in both labels_to_add and labels_to_remove. Leave it in one of them.`)
}
