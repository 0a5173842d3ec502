/** A day, such as `2026-11-28`. */
export type Day = `${number}-${number}-${number}`

/** A public page or file, and the day it was read; for a file in a repository, the day of its commit. */
interface Page {
  readonly url: `https://${string}`
  readonly date: Day
}

/** Public evidence of the vendor's behaviour, and who saw it or relies on it. */
interface Sighting extends Page {
  readonly by: string
}

/** The harm if an assumption is wrong, worst first. */
export const harms = {
  data: 'data could be lost, duplicated, or shown to others',
  result: 'a program could get a wrong or incomplete result',
  refusal: 'the vendor could refuse what we accept, accept what we refuse, or refuse in other words',
} as const

export type Harm = keyof typeof harms

/** Why an emulator behaves as it does. */
export type Verdict =
  /** A vendor's page, or a standard named there, states it. */
  | ({ readonly verdict: 'documented' } & Page)
  /** It was seen, and a reader can look it up. */
  | ({ readonly verdict: 'seen' } & Sighting)
  /** We believe it, and only a live account can settle it. */
  | { readonly verdict: 'assumed'; readonly because: string; readonly date: Day; readonly harm: Harm }
  /** The emulator's own choice, which claims nothing about the vendor. */
  | { readonly verdict: 'own' }

/** One behaviour of an emulator. */
export type Rule = Verdict & {
  /** In plain English. */
  readonly text: string
}

/** Rules by id: the area, then words in kebab-case, such as `issues/title-required`. */
export type Rules = Readonly<Record<`${string}/${string}`, Rule>>

/** A public source, as a function that makes a rule from a statement in it. */
type Source = (text: string) => Rule

export const documented =
  (url: Page['url'], date: Day): Source =>
  (text) => ({ text, verdict: 'documented', url, date })

export const seen =
  (by: string, url: Page['url'], date: Day): Source =>
  (text) => ({ text, verdict: 'seen', by, url, date })

/** Functions that make rules assumed on a day, one for each harm: `assumed.data(text, because)`. */
export function assumedOn(date: Day) {
  const by =
    (harm: Harm) =>
    (text: string, because: string): Rule => ({ text, verdict: 'assumed', because, date, harm })
  return { data: by('data'), result: by('result'), refusal: by('refusal') }
}

export const own = (text: string): Rule => ({ text, verdict: 'own' })

/** Assumptions, sorted by the harm if they are wrong, worst first. */
export const assumptions = (rules: Rules) =>
  (['data', 'result', 'refusal'] as const).flatMap((harm) =>
    Object.entries<Rule>(rules).flatMap(([id, rule]) => (rule.verdict === 'assumed' && rule.harm === harm ? [{ id, ...rule }] : [])),
  )

/** The number of rules with each verdict. */
export function countRules(rules: Rules): Readonly<Record<Rule['verdict'], number>> {
  const count = (verdict: Rule['verdict']) => Object.values<Rule>(rules).filter((rule) => rule.verdict === verdict).length
  return { documented: count('documented'), seen: count('seen'), assumed: count('assumed'), own: count('own') }
}
