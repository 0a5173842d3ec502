import { InvalidInput, quote } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import type { AssignableLabel, TeamLookup } from '../linear/lookups.ts'
import { cyclePage, plainReading } from '../linear/references.ts'

/* Rules for issues and projects. Each check throws `InvalidInput` for arguments that break its rule. */

interface EstimateScale {
  readonly usual: readonly number[]
  /** The additional points for a team with the extended scale. */
  readonly extended: readonly number[]
}

const fibonacci: EstimateScale = { usual: [1, 2, 3, 5, 8], extended: [13, 21] }

/** Each scale's points. https://linear.app/docs/estimates */
const scales = new Map<string, EstimateScale>([
  ['fibonacci', fibonacci],
  // Linear stores T-shirt sizes as these points.
  ['tShirt', fibonacci],
  ['exponential', { usual: [1, 2, 4, 8, 16], extended: [32, 64] }],
  ['linear', { usual: [1, 2, 3, 4, 5], extended: [6, 7] }],
])

const sizes = ['XS', 'S', 'M', 'L', 'XL', 'XXL', 'XXXL']

/** The T-shirt size for a number of points, in brackets; empty for 0. */
function sizeOf(points: number): string {
  const { [[...fibonacci.usual, ...fibonacci.extended].indexOf(points)]: size } = sizes
  return size === undefined ? '' : ` (${size})`
}

interface EstimateRule {
  readonly team: TeamLookup
  /** True if the error may propose leaving the estimate out. */
  readonly canOmit: boolean
  /** True if the call can clear the estimate. */
  readonly canClear: boolean
}

/** Checks that an estimate is on the team's scale. */
export function checkEstimate(estimate: number, { team, canOmit, canClear }: EstimateRule): void {
  if (team.issue_estimation_type === 'notUsed') throw notUsedByTeam('estimate', `Team ${team.key} does not use estimates.`, canOmit)
  const scale = scales.get(team.issue_estimation_type)
  // If the scale is missing from this list, Linear checks the points.
  if (scale === undefined) return
  const points = [
    ...(team.issue_estimation_allow_zero ? [0] : []),
    ...scale.usual,
    ...(team.issue_estimation_extended ? scale.extended : []),
  ]
  if (points.includes(estimate)) return
  // The next values below and above are equally plausible, and so is no estimate, so the intended value is unclear.
  const neighbours = [points.findLast((each) => each < estimate), points.find((each) => each > estimate)].filter(
    (each) => each !== undefined,
  )
  const nearest = neighbours.map((each) => ({ value: String(each), confidence: 0.6, parameter: 'estimate' }))
  // Callers also use 0 to mean no estimate.
  const clear = canClear && estimate === 0 ? [{ value: 'estimate', confidence: 0.6, parameter: 'fields_to_clear' }] : []
  const none = canClear ? 'To clear the estimate, name "estimate" in fields_to_clear.' : 'For no estimate, leave "estimate" out.'
  const named = team.issue_estimation_type === 'tShirt' ? points.map((each) => `${each}${sizeOf(each)}`) : points
  const text = `Team ${team.key} estimates in ${named.join(', ')} points; ${estimate} is not one of them. Pass one of these.`
  if (estimate === 0 && !canClear) throw new InvalidInput(`${text} ${none}`, { next: { change: { estimate: null } } })
  throw new InvalidInput(estimate === 0 ? `${text} ${none}` : text, { suggestions: [...clear, ...nearest] })
}

/** Checks that the team uses cycles, and that a URL leads to one of its cycles: another team's cycle may have the same number. */
export function checkCycle(cycle: string, team: TeamLookup, canOmit: boolean): void {
  if (!team.cycles_enabled) throw notUsedByTeam('cycle', `Team ${team.key} does not use cycles.`, canOmit)
  const page = cyclePage(plainReading(cycle))
  if (page && page.team.toLowerCase() !== team.key.toLowerCase())
    throw new InvalidInput(`${quote(cycle, 80)} is a cycle of team ${page.team}, and the issue is in team ${team.key}.`, {
      next: { tool: 'IssueTracker.ListCycles', arguments: { team: team.key } },
    })
}

function notUsedByTeam(parameter: string, reason: string, canOmit: boolean): InvalidInput {
  return new InvalidInput(`${reason} Leave "${parameter}" out.`, canOmit ? { next: { change: { [parameter]: null } } } : {})
}

/** Checks that the team accepts new issues. */
export function checkOpen({
  key,
  retired_at: retiredAt,
  archived_at: archivedAt,
}: Pick<TeamLookup, 'key' | 'retired_at' | 'archived_at'>): void {
  if (!retiredAt && !archivedAt) return
  throw new InvalidInput(`Team ${key} is ${retiredAt ? 'retired' : 'archived'} and takes no new issues. Choose another team.`, {
    next: { tool: 'IssueTracker.ListTeams' },
  })
}

/** Checks that the new and remaining labels include at most one from each group. */
export function checkGroups(added: readonly AssignableLabel[], present: readonly AssignableLabel[]): void {
  const distinct = [...new Map([...present, ...added].map((label) => [label.id, label])).values()]
  const groups = Map.groupBy(
    distinct.filter(({ parent }) => parent),
    ({ parent }) => parent?.id,
  )
  for (const [first, ...others] of groups.values()) {
    if (!first || others.length === 0) continue
    const names = [first, ...others].map(({ name }) => quote(name)).join(' and ')
    const isPresent = present.includes(first)
    const parameter = isPresent ? 'labels_to_remove' : 'labels_to_add'
    const suggestions = (isPresent ? [first] : [first, ...others]).map(({ name }) => ({ value: name, parameter, confidence: 0.6 }))
    const way = isPresent ? `The issue has ${quote(first.name)}: to replace it, name it in labels_to_remove too.` : 'Remove the others.'
    throw new InvalidInput(
      `${names} are in the same group, ${quote(first.parent?.name ?? '')}, and an issue can have only one label from a group. ${way}`,
      { suggestions },
    )
  }
}

/** Checks that nothing is both added and removed. */
export function checkDisjoint(kind: 'label' | 'team', added: readonly Candidate[], removed: readonly Candidate[]): void {
  const both = added.find(({ id }) => removed.some((one) => one.id === id))
  if (!both) return
  const title = kind === 'label' ? 'Label' : 'Team'
  throw new InvalidInput(`${title} ${quote(both.name)} is in both ${kind}s_to_add and ${kind}s_to_remove. Leave it in one of them.`)
}

interface ProjectDays {
  readonly start_date?: string | null | undefined
  readonly target_date?: string | null | undefined
}

/** Throws `InvalidInput` if the call sets a day and the two days end up in the wrong order. */
export function checkDays({ start_date: start, target_date: target }: ProjectDays, current: ProjectDays = {}): void {
  if (start == null && target == null) return
  const [first, last] = [start ?? current.start_date, target ?? current.target_date]
  if (first == null || last == null || first <= last) return
  const describeDay = (date: string, argument: ProjectDays['start_date']) => (argument == null ? `${date}, as the project has it` : date)
  // The days may be swapped, or one of them may be wrong: we cannot tell.
  const suggested = [
    { value: last, parameter: 'start_date', confidence: 0.6 },
    { value: first, parameter: 'target_date', confidence: 0.6 },
  ]
  throw new InvalidInput(
    `"start_date" (${describeDay(first, start)}) is after "target_date" (${describeDay(last, target)}). Pass both days in the right order.`,
    { suggestions: suggested },
  )
}

/** Notice for days that end up in the wrong order because one was changed without knowing the other. */
export function daysNotice({ start_date: start, target_date: target }: ProjectDays, project: ProjectDays): string | undefined {
  if ((start == null && target == null) || project.start_date == null || project.target_date == null) return undefined
  return project.start_date > project.target_date
    ? `The project now starts (${project.start_date}) after its target date (${project.target_date}).`
    : undefined
}
