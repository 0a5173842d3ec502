/** One thing that an emulator does, and why we believe that the vendor does it too. */
export interface Behaviour {
  /** What it is about: `batch: one bad item, strict`. */
  readonly rule: string
  readonly does: string
  /** `documented` by the vendor, or `assumed` where the vendor says nothing. */
  readonly basis: 'documented' | 'assumed'
  /** The section of our reference that it rests on: `events.md §2`. */
  readonly source: string
  /** The title of the test that fails when the rule is broken: `describe › it`. */
  readonly test?: string
}
