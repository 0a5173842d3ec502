import type { Rules } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/store'
import type { DriveEndpoint } from './endpoints.ts'
import type { ContentStore } from './files/content.ts'
import type { OpenSurface } from './open-surface.ts'

/** Methods of the API that the servers do not use. The entry `whole` of this package exports them, so that only what needs them loads them. */
export interface ApiSurface {
  readonly endpoints: readonly DriveEndpoint[]
  readonly rules: Rules
  /** Opens what stands behind the methods; called once, when the emulator opens. */
  readonly open: (resources: SurfaceResources) => OpenSurface
}

/** What the methods depend on. */
export interface SurfaceResources {
  readonly store: Store
  readonly contents: ContentStore
  readonly now: () => number
  /** Where notifications may be sent besides this machine. */
  readonly hosts: readonly string[]
  /** Waits before a notification is repeated; the system's clock when absent. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}
