import type { Rule, Rules } from '../../packages/emulators/kit/src/rules.ts'
import { code } from '../../packages/server/src/mcp/listing/tool-reference.ts'

/** Behavior of an emulator, by area of its rules, each with the page of the vendor that documents it or the reason to assume it. */
export function rulesLists(rules: Rules): string {
  const areas = Map.groupBy(Object.entries<Rule>(rules), ([id]) => id.split('/')[0] ?? '')
  return [...areas]
    .map(([area, entries]) => {
      const lines = entries.map(([, rule]) => `- ${sentence(rule)}`)
      return `### ${area[0]?.toUpperCase() ?? ''}${area.slice(1)}\n\n${lines.join('\n')}`
    })
    .join('\n\n')
}

/** A documented rule is a link to its page; an assumption has its reason behind it, if there is one. */
function sentence({ text, source }: Rule): string {
  if (source.startsWith('https:')) return `[${text}](${source})`
  return source === 'assumed' ? text : `${text} (${source.replace('assumed: ', '')})`
}

/** Share of the rules that the vendor documents. */
export function rulesCount(rules: Rules): string {
  const all = Object.values<Rule>(rules)
  const documented = all.filter(({ source }) => source.startsWith('https:')).length
  return `The vendor documents ${documented} of ${all.length} behaviors: those are links to its pages. The others are assumed, with the reason where there is one. A test covers each.`
}

/** Names as code, in a sentence; those that differ in their last word alone stand together: `issue{Create,Update}`. */
function joinedNames(list: readonly string[]): string {
  const stems = Map.groupBy(list, (name) => name.replace(/[A-Z][a-z]+$/, '*'))
  return names(
    [...stems].map(([pattern, those]) => {
      const stem = pattern.replace('*', '')
      return those.length === 1 ? (those[0] ?? stem) : `${stem}{${those.map((name) => name.slice(stem.length)).join(',')}}`
    }),
  )
}

/** Names as code, in a sentence. */
export const names = (list: readonly string[]): string => list.map(code).join(', ')

/** A line of a list: the subject of the names, and each group of names behind its label. */
export function namesLine(subject: string, groups: readonly (readonly [label: string, list: readonly string[]])[]): string {
  const parts = groups.flatMap(([label, list]) => (list.length > 0 ? [`${label}${joinedNames(list)}`] : []))
  return `- **${subject}**${parts.length > 0 ? ': ' : ''}${parts.join('; ')}`
}
