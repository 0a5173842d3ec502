import type { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import type { Network } from '../../packages/testing/src/vendors/network.ts'
import type { OpenVendor } from '../../packages/testing/src/vendors/vendor.ts'
import type { Session } from './session.ts'

interface Prepared {
  readonly opened: OpenVendor
  readonly network: Network
  readonly session: Session
  readonly clock: RunningClock
}

/** Makes the failing call that gives some tools something to do. */
export async function prepare({ opened, network, session, clock }: Prepared, tool: string): Promise<void> {
  const needed = opened.failedBefore?.[tool]
  if (!needed) return
  network.fail(() => needed.fail)
  await clock.until(session.call(needed.tool, opened.calls[needed.tool] ?? {}))
  network.restore()
}
