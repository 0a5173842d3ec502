import { isFor, type Destination, type Entry } from './entry.ts'

/** How many entries there are of each kind, for `status`. */
export interface Counts {
  readonly waiting: number
  readonly refused: number
  readonly parked: number
  /** Entries for another account or the embedded default: they are not sent from here. */
  readonly of_another_account: number
}

export function countsOf(entries: readonly Entry[], destination: Destination): Counts {
  const ours = entries.filter((entry) => isFor(entry, destination))
  const count = (state: Entry['state']) => ours.filter((entry) => entry.state === state).length
  return { waiting: count('open'), refused: count('refused'), parked: count('parked'), of_another_account: entries.length - ours.length }
}
