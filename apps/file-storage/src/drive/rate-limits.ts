import { RateLimited, type ToolError } from '@mcp-toolkits/core'
import type { Hold } from '@mcp-toolkits/core/upstream-limits'
import { DailyQuotaExceeded, DownloadQuotaExceeded, SharingRateLimited } from './errors.ts'

/**
 * How long Drive wants no requests after an error. Most limits are those of the account; sharing has one of its own, and a file that was
 * downloaded too often concerns no other. https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function holdsIn(error: ToolError | undefined, now: number): readonly Hold[] {
  if (!(error instanceof RateLimited) || error instanceof DownloadQuotaExceeded) return []
  const { retryAfterSeconds } = error.details
  const askedMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000
  if (error instanceof DailyQuotaExceeded) return [{ covers: 'account', ms: askedMs ?? untilMidnight(now) }]
  return [{ covers: error instanceof SharingRateLimited ? 'operation' : 'account', ms: askedMs }]
}

const dayMs = 24 * 60 * 60_000
const pacificTime = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', hourCycle: 'h23', timeStyle: 'medium' })

/** Milliseconds until Google's daily quotas are full again, at midnight Pacific Time. https://support.google.com/googleapi/answer/7035610 */
function untilMidnight(now: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = pacificTime.format(now).split(':').map(Number)
  return dayMs - ((hours * 60 + minutes) * 60 + seconds) * 1000
}
