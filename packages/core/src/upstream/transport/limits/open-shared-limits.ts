import type { SharedLimitsOptions } from './shared-limits.ts'
import type { UpstreamLimits } from './upstream-limits.ts'

/** Opens limits that several processes share. A server that shares none never loads this code. */
export async function openSharedLimits(options: SharedLimitsOptions): Promise<UpstreamLimits> {
  const { sharedLimits } = await import('./shared-limits.ts')
  return sharedLimits(options)
}
