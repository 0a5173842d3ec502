import type { Variable } from '../../packages/server/src/cli/options/option.ts'

/** Presentation of a server to people: in registries, as a bundle, in its README. Only the generator reads it. */
export interface Distribution {
  /** Summary of at most 100 characters. */
  readonly summary: string
  /** The variables of this server alone. */
  readonly variables: readonly Variable[]
  /** Sentence on connecting an account if the form of a bundle is all there is. */
  readonly accountHint: string
  /** The embedded default, for a person who tries the server. */
  readonly embeddedDescription: string
  /** Names of the records in results, each with the fields that hold one without saying so, for the reference: `Person: ['assignee']`. */
  readonly recordNames?: Readonly<Record<string, readonly string[]>>
  readonly privacy: {
    /** Receiver of everything that is sent. */
    readonly recipient: string
    readonly policy: string
    /** Statements on the data that leaves this machine, and on the data that stays. */
    readonly statements: readonly string[]
  }
}
