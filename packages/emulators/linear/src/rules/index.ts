import type { Rules } from '@mcp-toolkits/emulator'
import { accessRules } from './access.ts'
import { graphqlRules } from './graphql.ts'
import { issuesRules } from './issues.ts'
import { operationRules } from './operations.ts'
import { plansRules } from './plans.ts'

/** The emulator's behaviour, by rule, with the evidence that Linear does the same. */
export const linearRules = { ...accessRules, ...graphqlRules, ...issuesRules, ...plansRules, ...operationRules } satisfies Rules
