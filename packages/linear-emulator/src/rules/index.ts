import type { Rules } from '@mcp-toolkits/emulator'
import { accessRules } from './access.ts'
import { graphqlRules } from './graphql.ts'
import { issuesRules } from './issues.ts'
import { plansRules } from './plans.ts'

/** What the emulator does, and why we believe that Linear does it. */
export const linearRules = { ...accessRules, ...graphqlRules, ...issuesRules, ...plansRules } satisfies Rules
