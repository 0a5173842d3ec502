import { access } from './behaviours/access.ts'
import type { DriveBehaviour } from './behaviours/basis.ts'
import { bytes } from './behaviours/bytes.ts'
import { changes } from './behaviours/changes.ts'
import { lists } from './behaviours/lists.ts'
import { oauth } from './behaviours/oauth.ts'
import { picker } from './behaviours/picker.ts'
import { queries } from './behaviours/queries.ts'
import { sharing } from './behaviours/sharing.ts'

/** What the emulator does, whether the vendor documents it, and which test proves it. */
export const driveBehaviours: readonly DriveBehaviour[] = [
  ...access,
  ...queries,
  ...lists,
  ...changes,
  ...sharing,
  ...bytes,
  ...oauth,
  ...picker,
]
