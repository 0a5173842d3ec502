import type { Rule, Rules } from '../../packages/emulators/kit/src/rules.ts'
import { code } from '../../packages/server/src/mcp/listing/tool-reference.ts'

/** Behavior of an emulator, by area of its rules, each with the page of the vendor that documents it or the reason to assume it. */
export function rulesLists(rules: Rules): string {
  const areas = Map.groupBy(Object.entries<Rule>(rules), ([id]) => id.split('/')[0] ?? '')
  return [...areas]
    .map(([area, entries]) => {
      const lines = entries.map(([, { text, source }]) => `- ${text}${sourceOf(source)}`)
      return `### ${area[0]?.toUpperCase() ?? ''}${area.slice(1)}\n\n${lines.join('\n')}`
    })
    .join('\n\n')
}

function sourceOf(source: string): string {
  if (source.startsWith('https:')) return ` ([page](${source}))`
  return source === 'assumed' ? '' : ` (${source.replace('assumed: ', '')})`
}

/** Share of the rules that the vendor documents. */
export function rulesCount(rules: Rules): string {
  const all = Object.values<Rule>(rules)
  const documented = all.filter(({ source }) => source.startsWith('https:')).length
  return `The vendor documents ${documented} of ${all.length} behaviors, each with a link to the page. The others are assumed, with the reason where there is one. A test covers each.`
}

/** Names as code, in a sentence. */
export const names = (list: readonly string[]): string => list.map(code).join(', ')

/** A line of a list: the subject of the names, and each group of names behind its label. */
export function namesLine(subject: string, groups: readonly (readonly [label: string, list: readonly string[]])[]): string {
  const parts = groups.flatMap(([label, list]) => (list.length > 0 ? [`${label}${names(list)}`] : []))
  return `- **${subject}**${parts.length > 0 ? ': ' : ''}${parts.join('; ')}`
}
