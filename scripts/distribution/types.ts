import type { Variable } from '../../packages/server/src/cli/options/option.ts'

/** A server's presentation to people: in registries, as a bundle, in its README. Only the generator reads it. */
export interface Distribution {
  /** Summary of at most 100 characters. */
  readonly summary: string
  /** This server's own variables. */
  readonly variables: readonly Variable[]
  /** Sentence on connecting an account when only a bundle's form is available. */
  readonly accountHint: string
  /** The embedded default, described to a person trying the server. */
  readonly embeddedDescription: string
  /** Record names for the reference, each with the fields that contain such a record but suggest another name: `Person: ['assignee']`. */
  readonly recordNames?: Readonly<Record<string, readonly string[]>>
  readonly privacy: {
    /** Recipient of everything that is sent. */
    readonly recipient: string
    readonly policy: string
    /** Statements on which data leaves this machine and which stays. */
    readonly statements: readonly string[]
  }
}
