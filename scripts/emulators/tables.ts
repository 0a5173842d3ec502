import type { Rule, Rules } from '../../packages/emulators/kit/src/rules.ts'
import { code, markdownTable } from '../../packages/server/src/mcp/listing/tool-reference.ts'

/** Rules of an emulator by area, with the vendor's pages that document them. */
export function rulesTables(rules: Rules): string {
  const areas = Map.groupBy(Object.entries<Rule>(rules), ([id]) => id.split('/')[0] ?? '')
  return [...areas]
    .map(([area, entries]) => {
      const rows = entries.map(([, { text, source }]) => [text, source.startsWith('https:') ? `[documented](${source})` : source])
      return `### ${area[0]?.toUpperCase() ?? ''}${area.slice(1)}\n\n${markdownTable(['Behavior', 'Source'], rows)}`
    })
    .join('\n\n')
}

/** Share of the rules that the vendor documents. */
export function rulesCount(rules: Rules): string {
  const all = Object.values<Rule>(rules)
  const documented = all.filter(({ source }) => source.startsWith('https:')).length
  return `The vendor documents ${documented} of ${all.length} behaviors. The others are assumptions, some of them based on reports of third parties. A test covers each.`
}

/** Names as code, in a sentence. */
export const names = (list: readonly string[]): string => list.map(code).join(', ')
