import type { Rules } from '@mcp-toolkits/emulator'
import { accessRules, oauthRules, pickerRules } from './access.ts'
import { methodRules } from './methods.ts'
import { contentRules, filesRules, sharingRules } from './files.ts'
import { listsRules } from './lists.ts'

/** The emulator's behaviour, by rule, with the evidence that Drive does the same. */
export const driveRules = {
  ...accessRules,
  ...contentRules,
  ...filesRules,
  ...listsRules,
  ...sharingRules,
  ...pickerRules,
  ...oauthRules,
  ...methodRules,
} satisfies Rules
