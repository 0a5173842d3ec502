import { access } from './rules/access.ts'
import type { DriveBehaviour } from './rules/basis.ts'
import { bytes } from './rules/bytes.ts'
import { changes } from './rules/changes.ts'
import { lists } from './rules/lists.ts'
import { oauth } from './rules/oauth.ts'
import { picker } from './rules/picker.ts'
import { queries } from './rules/queries.ts'
import { sharing } from './rules/sharing.ts'

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
