import { assumptions, countRules, harms, type Rule, type Rules } from '../../packages/emulators/kit/src/rules.ts'
import { code } from '../reference/tool-reference.ts'

/**
 * The page on a vendor's behaviour, by verdict: first the assumptions, which only a live account can settle, the most harmful ones first.
 */
export function rulesPage(vendor: string, rules: Rules): string {
  const ofVerdict = <V extends Rule['verdict']>(verdict: V) =>
    Object.values<Rule>(rules).filter((rule): rule is Extract<Rule, { verdict: V }> => rule.verdict === verdict)
  const [documented, sightings] = [ofVerdict('documented'), ofVerdict('seen')]
  const day = commonDay(documented)
  const parts = [
    `# How ${vendor} behaves, as far as we know`,
    rulesCount(rules),
    `## Assumptions that only a live account can settle\n\n${assumedLists(rules)}`,
    `## Seen by others\n\n${[...Map.groupBy(sightings, ({ by }) => by)].map(([by, those]) => sightingList(by, those)).join('\n\n')}`,
    `## Documented\n\nPages read on ${day}, or on the day in parentheses.\n\n${list(documented.map((rule) => `${link(rule)}${rule.date === day ? '' : ` (${rule.date})`}`))}`,
  ]
  return `${parts.join('\n\n')}\n`
}

const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')

const link = ({ text, url }: { readonly text: string; readonly url: string }) => `[${text}](${url})`

/** The day on which most of the pages were read. */
function commonDay(pages: readonly { readonly date: string }[]): string {
  const [most] = [...Map.groupBy(pages, ({ date }) => date)].toSorted(([, one], [, other]) => other.length - one.length)
  return most?.[0] ?? ''
}

function sightingList(by: string, sightings: readonly Extract<Rule, { verdict: 'seen' }>[]): string {
  const [{ date }] = [...sightings, { date: '' }]
  const same = sightings.every((rule) => rule.date === date)
  return `${by}${same ? `, ${date}` : ''}:\n\n${list(sightings.map((rule) => `${link(rule)}${same ? '' : ` (${rule.date})`}`))}`
}

function assumedLists(rules: Rules): string {
  const all = assumptions(rules)
  const day = commonDay(all)
  const byHarm = [...Map.groupBy(all, ({ harm }) => harm)]
  const lists = byHarm.map(
    ([harm, those]) => `If wrong, ${harms[harm]}:\n\n${list(those.map(({ text, because }) => `${text} (${because})`))}`,
  )
  return `Assumed on ${day}; the reasons are in parentheses.\n\n${lists.join('\n\n')}`
}

/** The number of rules by verdict; the emulator's own choices are not claims about the vendor. */
export function rulesCount(rules: Rules): string {
  const { documented, seen, assumed, own } = countRules(rules)
  const beliefs = documented + seen + assumed
  const share = (whole: number) => `${Math.round((100 * assumed) / whole)}%`
  return `Of ${beliefs} vendor behaviours, ${documented} are documented, ${seen} were seen by others and ${assumed} (${share(beliefs)}) are assumed. Counting the emulator's own ${own} choices in /__emulator/rules as well, ${share(beliefs + own)} are assumed. A test covers each.`
}

/** Names as code, in a sentence; those that differ only in their last word are joined: `issue{Create,Update}`. */
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

/** A list item: a subject, and its names in labelled groups. */
export function namesLine(subject: string, groups: readonly (readonly [label: string, list: readonly string[]])[]): string {
  const parts = groups.flatMap(([label, list]) => (list.length > 0 ? [`${label}${joinedNames(list)}`] : []))
  return `- **${subject}**${parts.length > 0 ? ': ' : ''}${parts.join('; ')}`
}
