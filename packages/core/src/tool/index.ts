export { checkArgumentLimits } from './argument-limits.ts'
export { absenceNotice } from '../corrections/absent.ts'
export { changed, correctedRest, isCorrectedRest } from '../corrections/rest.ts'
export { readDate } from '../corrections/dates/dates.ts'
export { startOfDay } from '../corrections/dates/time-zones.ts'
export {
  type OtherNames,
  type Reading,
  synonyms,
  type Vocabulary,
  withImplied,
  withVocabulary,
  words,
  type WrittenArgument,
} from '../corrections/vocabulary.ts'
export { type CallScope, sharedWork, startCallScope, withCallScope } from './call/call-deadline.ts'
export { confirmChange, confirmCreated, confirmDone, type FieldShown, sameText, type Shown } from './call/confirm.ts'
export { consentParameter, isConsent, needsConsent } from './call/consent.ts'
export { currentTool, namingTool, withoutTool } from './call/current-tool.ts'
export {
  type BegunRecord,
  type IdempotencyStore,
  type Identity,
  identityOf,
  keyLifetimeMs,
  type KeyState,
  maxResultBytes,
  type Operation,
  type OperationEnd,
  type OperationRequest,
  unkeyedLifetimeMs,
} from './call/operation-types.ts'
export { TaskCancelled } from './call/task-cancelled.ts'
export { describe, type JsonSchema, messageKeyword, toJsonSchema, withJsonSchema } from './json-schema.ts'
export { type Fit, fitOf } from './fit.ts'
export { oneByOne } from './one-by-one.ts'
export { CallOperation } from './call/operation.ts'
export { isBlank } from '../base/blank.ts'
export { isPlaceholder } from '../corrections/plausibility.ts'
export { type FileContent, type Page, type UrlElicitation, type UserContent, withContent, withUrlElicitation } from './tool-result.ts'
export type { ToolWish } from './tool-wish.ts'
export { type CallContext, type CallResult, type Effect, refusalOf, type Tool, toolkit, toolsOf, type ToolSpec } from './tool.ts'
