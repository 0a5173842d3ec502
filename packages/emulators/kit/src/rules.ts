/** The vendor's public page that documents a rule; or `assumed`, with the reason for the assumption. */
export type RuleSource = `https://${string}` | 'assumed' | `assumed: ${string}`

/** One behavior of the vendor that an emulator reproduces. */
export interface Rule {
  /** In plain English. */
  readonly text: string
  readonly source: RuleSource
}

/** Rules by id: words in kebab-case after their area, such as `issues/title-required`. */
export type Rules = Readonly<Record<`${string}/${string}`, Rule>>

/** A rule that the vendor's page states. */
export const documented = (source: `https://${string}`, text: string): Rule => ({ text, source })

/** A rule that no page of the vendor states; `basis` says in a few words why we believe it. */
export const assumed = (text: string, basis?: string): Rule => ({ text, source: basis === undefined ? 'assumed' : `assumed: ${basis}` })
