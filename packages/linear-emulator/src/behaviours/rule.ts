import type { Behaviour } from '@mcp-toolkits/emulator'

/** Section and lines of linear.md, as `§3.6:182`; what it is about; what happens; the test that fails when it does not. */
export type Rule = readonly [at: string, rule: string, does: string, test: string]

const behaviour = ([at, rule, does, test]: Rule, basis: Behaviour['basis']): Behaviour => {
  const [section = '', lines = ''] = at.split(':')
  const cited = lines.split(',').map((line) => `linear.md:${line}`)
  return { rule, does, basis, source: `linear.md ${section} (${cited.join(', ')})`, test }
}

/** What the vendor documents, or what somebody saw it do. */
export const documented = (...rule: Rule): Behaviour => behaviour(rule, 'documented')

/** What the page leaves open, marks as unverified, or does not mention. */
export const assumed = (...rule: Rule): Behaviour => behaviour(rule, 'assumed')
