export { readBytes } from './body.ts'
export { defaultPersonRate, fixedLimits, type PersonRate } from './admission/limits.ts'
export { type IncomingRequest, pathOf, type PeopleRoutes, type Refusal, type RequestChecks, sendResponse } from './people-routes.ts'
export type { RefusalReason } from './refusals.ts'
