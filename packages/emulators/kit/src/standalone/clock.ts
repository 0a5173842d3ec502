/** A time: a date, epoch milliseconds, or text in ISO 8601. */
export type TimeValue = Date | number | string

/** An emulator's clock, which a test can set. All times that the emulator stores or compares come from it. */
export interface EmulatorClock {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Stops the clock at a time. Throws `RangeError` for text that is not a time. */
  readonly set: (time: TimeValue) => void
  /** Moves the clock forward by this many milliseconds, and stops it there. */
  readonly advance: (milliseconds: number) => void
  /** Follows the system clock again or, if a start time was given, stops the clock at that time. */
  readonly reset: () => void
}

/** Creates a clock that stands still at `start` or, if that is absent, follows the system clock. */
export function createClock(start?: TimeValue): EmulatorClock {
  const beginning = start === undefined ? undefined : toEpoch(start)
  let stopped = beginning
  const now = () => stopped ?? Date.now()
  return {
    now,
    set(time) {
      stopped = toEpoch(time)
    },
    advance(milliseconds) {
      stopped = now() + milliseconds
    },
    reset() {
      stopped = beginning
    },
  }
}

function toEpoch(time: TimeValue): number {
  const epoch = new Date(time).getTime()
  if (Number.isNaN(epoch)) throw new RangeError(`${JSON.stringify(time)} is not a time. Give a date, epoch milliseconds, or ISO 8601.`)
  return epoch
}
