import type { Behaviour } from '@mcp-toolkits/emulator'

/** What the emulator does, and whether the vendor documents it. */
export const linearBehaviours: readonly Behaviour[] = []
