import type { Behaviour } from '@mcp-toolkits/emulator'
import { access } from './behaviours/access.ts'
import { issues } from './behaviours/issues.ts'
import { oauth } from './behaviours/oauth.ts'
import { others } from './behaviours/others.ts'
import { reading } from './behaviours/reading.ts'

/** What the emulator does, whether the vendor documents it, and the test that shows it. */
export const linearBehaviours: readonly Behaviour[] = [...access, ...reading, ...issues, ...others, ...oauth]
