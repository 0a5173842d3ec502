import { readFileSync } from 'node:fs'

/** The time of a write, from which its age can be determined even if the machine's clock has been reset since. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The same moment on the machine's monotonic clock, in milliseconds. */
  readonly uptime: number
  /** Id of the boot that `uptime` counts from; empty if the system provides none. */
  readonly boot: string
}

/** A stored moment; rows from earlier versions have only `at`. */
type StoredMoment = Pick<Moment, 'at'> & { readonly [Name in 'uptime' | 'boot']: Moment[Name] | null }

export interface MomentClock {
  readonly now: () => number
  readonly monotonic: () => number
}

/** The current moment, in whole milliseconds; `boot` defaults to this machine's. */
export function presentMoment(clock: MomentClock, boot: string = bootId()): Moment {
  return { at: Math.floor(clock.now()), uptime: Math.floor(clock.monotonic()), boot }
}

/** Age of a moment, in milliseconds; never negative. It depends on the machine's date only across a reboot. */
export function ageMs(stored: StoredMoment, present: Moment): number {
  const byDate = Math.max(0, present.at - stored.at)
  if (stored.uptime === null || stored.boot === null) return byDate
  const byUptime = present.uptime - stored.uptime
  // A moment from before the machine started is older than the machine's uptime.
  if (stored.boot !== present.boot || byUptime < 0) return Math.max(byDate, present.uptime)
  // Without an id, the moment may be from a different boot. The lower age is safer: at worst, a record outlives its lifetime.
  return present.boot === '' ? Math.min(byDate, byUptime) : byUptime
}

let ownBoot: string | undefined

/** https://docs.kernel.org/admin-guide/sysctl/kernel.html#random */
function bootId(): string {
  try {
    return (ownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  } catch {
    return (ownBoot = '')
  }
}
