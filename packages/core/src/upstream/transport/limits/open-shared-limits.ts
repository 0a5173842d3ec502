import type { SharedLimitsOptions } from './shared-limits.ts'
import type { UpstreamLimits } from './upstream-limits.ts'

/** Opens limits that several processes share. A single server never loads them. */
export async function openSharedLimits(options: SharedLimitsOptions): Promise<UpstreamLimits> {
  const { sharedLimits } = await import('./shared-limits.ts')
  return sharedLimits(options)
}
