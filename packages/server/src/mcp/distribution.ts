import type { Variable } from '../cli/options/option-texts.ts'

/** How a server is offered to people: in registries, as a bundle, in its README. Only the generator reads it. */
export interface Distribution {
  /** What it does, in at most 100 characters. */
  readonly summary: string
  /** The variables of this server alone. */
  readonly variables: readonly Variable[]
  /** How a person connects an account where the form of a bundle is all there is. */
  readonly accountHint: string
  /** The embedded default, for a person who tries the server. */
  readonly embeddedDescription: string
  /** Names of the records in results, each with the fields that hold one without saying so, for the reference: `Person: ['assignee']`. */
  readonly recordNames?: Readonly<Record<string, readonly string[]>>
  readonly privacy: {
    /** Who receives what is sent. */
    readonly recipient: string
    readonly policy: string
    /** What leaves this machine, and what is kept on it. */
    readonly statements: readonly string[]
  }
}
