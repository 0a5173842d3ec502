import { pipelinesRules } from '../../packages/emulators/pipelines/src/rules.ts'
import { endpoints } from '../../packages/emulators/pipelines/src/items.ts'
import { names, rulesCount } from './tables.ts'

/** The generated parts of `docs/emulators/pipelines.md`. */
export const pipelinesSections = (): Record<string, string> => ({
  coverage: `${names(endpoints.map((name) => `POST /v1/${name}`))}: all the endpoints in the vendor's reference.`,
  count: rulesCount(pipelinesRules),
})
