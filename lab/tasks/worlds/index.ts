import type { Vendor } from '../task.ts'
import { openDrive } from './drive.ts'
import { openEvents } from './events.ts'
import { openLinear } from './linear.ts'
import type { World } from './world.ts'

export type { World } from './world.ts'

/** Opens a vendor on a port of this machine. */
export const openWorld: Readonly<Record<Vendor, () => Promise<World>>> = { linear: openLinear, drive: openDrive, events: openEvents }
