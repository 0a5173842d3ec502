import type { Clock } from '@mcp-toolkits/core/clock'

/** Whether something may be done once more: so often within a minute, on one replica, because everyone can ask for it. */
export function limitByMinute(clock: Pick<Clock, 'monotonic'>, most: number): () => boolean {
  let [startedAt, count] = [clock.monotonic(), 0]
  return () => {
    const now = clock.monotonic()
    if (now - startedAt >= 60_000) [startedAt, count] = [now, 0]
    count += 1
    return count <= most
  }
}
