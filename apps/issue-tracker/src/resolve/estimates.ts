import { InvalidInput } from '@mcp-toolkits/core'
import type { Scope } from '../linear/issue-references.ts'

interface Scale {
  readonly usual: readonly number[]
  /** What a team can use besides. */
  readonly extended: readonly number[]
}

const fibonacci: Scale = { usual: [1, 2, 3, 5, 8], extended: [13, 21] }

/** The points of each scale. https://linear.app/docs/estimates */
const scales = new Map<string, Scale>([
  ['fibonacci', fibonacci],
  // T-shirt sizes are stored as these points.
  ['tShirt', fibonacci],
  ['exponential', { usual: [1, 2, 4, 8, 16], extended: [32, 64] }],
  ['linear', { usual: [1, 2, 3, 4, 5], extended: [6, 7] }],
])

/** Refuses an estimate that is not on the team's scale. Throws `InvalidInput`, which proposes to leave it out only where the call `mayDrop` it. */
export function refuseEstimate(estimate: number, team: Scope, mayDrop: boolean): void {
  const scale = scales.get(team.issue_estimation_type)
  if (team.issue_estimation_type === 'notUsed') {
    throw new InvalidInput(
      `Team ${team.key} does not use estimates. Leave "estimate" out.`,
      mayDrop ? { next: { change: { estimate: null } } } : {},
    )
  }
  // A scale that is newer than this list is left to Linear.
  if (scale === undefined) return
  const points = [
    ...(team.issue_estimation_allow_zero ? [0] : []),
    ...scale.usual,
    ...(team.issue_estimation_extended ? scale.extended : []),
  ]
  if (points.includes(estimate)) return
  const nearest = points.toSorted((a, b) => Math.abs(a - estimate) - Math.abs(b - estimate))[0]
  throw new InvalidInput(`Team ${team.key} estimates in ${points.join(', ')} points; ${estimate} is none of them.`, {
    next: { change: { estimate: nearest } },
  })
}
