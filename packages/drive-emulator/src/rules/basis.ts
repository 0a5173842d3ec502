import type { Behaviour } from '@mcp-toolkits/emulator'

/** A behaviour, and the title of the test that proves it. */
export interface DriveBehaviour extends Behaviour {
  readonly test: string
}

/** A rule: what it is about, what is done, and the title of its test. */
type Rule = readonly [rule: string, does: string, test: string]

/** A source is a section of our reference, or the address where Google, or whoever saw it in life, says so. */
const marked =
  (basis: Behaviour['basis']) =>
  (section: string, ...rules: readonly Rule[]): DriveBehaviour[] =>
    rules.map(([rule, does, test]) => ({ rule, does, basis, source: section.startsWith('§') ? `drive.md ${section}` : section, test }))

/** Rules that Google's documentation states, or that others have seen in the real Drive. */
export const documented = marked('documented')
/** Rules that we could only assume, the stricter one in doubt. */
export const assumed = marked('assumed')
