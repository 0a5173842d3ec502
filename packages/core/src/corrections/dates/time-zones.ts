/** Formats a time zone's days as `2026-11-28`; uses the process's zone if `timeZone` is absent or unknown to Node. */
export function daysIn(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone: timeZone?.replace(/^:/, '') })
  } catch {
    return new Intl.DateTimeFormat('sv-SE')
  }
}

/** Maximum offset of a zone from UTC, in milliseconds. */
const maxOffset = 15 * 3_600_000

/** A day's first moment in a time zone, in UTC. Found by searching: where clocks change at midnight, a day may not begin at 00:00. */
export function startOfDay(day: string, timeZone: string | undefined): string {
  const days = daysIn(timeZone)
  let [before, start] = [Date.parse(day) - maxOffset, Date.parse(day) + maxOffset]
  while (start - before > 1) {
    const middle = Math.floor((before + start) / 2)
    if (days.format(middle) < day) before = middle
    else start = middle
  }
  return new Date(start).toISOString()
}
