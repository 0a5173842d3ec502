import { pipelinesRules } from '../../packages/pipelines-emulator/src/rules.ts'
import { endpoints } from '../../packages/pipelines-emulator/src/items.ts'
import { names, rulesCount, rulesTables } from './tables.ts'

/** The generated parts of `docs/emulators/pipelines.md`. */
export const pipelinesSections = (): Record<string, string> => ({
  coverage: `${names(endpoints.map((name) => `POST /v1/${name}`))}: all that the vendor's reference lists.`,
  count: rulesCount(pipelinesRules),
  rules: rulesTables(pipelinesRules),
})
