import type { Store } from '@mcp-toolkits/store'

/** Plants the work of three teams. */
export function seedWorkspace(_store: Store, _now: number): void {
  // The next slice.
}
