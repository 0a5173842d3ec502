import { InvalidInput } from '@mcp-toolkits/core'
import type { Label } from '../linear/issue-references.ts'

/** A label as it is compared: `group: label` and `group → label` are other ways to write `group/label`. */
export function labelReference(given: string): string {
  return given.trim().replace(/\s*(?::|→|\/)\s*/, '/')
}

/** Tells whether a name is that of a group and of no label that could be meant. */
export function groupsNamed(...found: readonly (readonly Label[])[]): (name: string) => boolean {
  const all = found.flat()
  return (given) => {
    const named = all.filter(({ id, name }) => id === given.trim() || name.toLowerCase() === given.trim().toLowerCase())
    return named.length > 0 && named.every(({ is_group: isGroup }) => isGroup)
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
