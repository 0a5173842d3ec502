import type { Rules } from '@mcp-toolkits/emulator'
import { accessRules } from './access.ts'
import { contentRules } from './content.ts'
import { filesRules } from './files.ts'
import { listsRules } from './lists.ts'
import { oauthRules } from './oauth.ts'
import { pickerRules } from './picker.ts'
import { sharingRules } from './sharing.ts'

/** What the emulator does, by rule, and where the vendor documents it. */
export const driveRules = {
  ...accessRules,
  ...contentRules,
  ...filesRules,
  ...listsRules,
  ...sharingRules,
  ...pickerRules,
  ...oauthRules,
} satisfies Rules
