export { ErrorCollector, isArgumentError, throwCombined } from './error-collector.ts'
export {
  Ambiguous,
  type Choice,
  Conflict,
  type ConnectStep,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetails,
  errorFromJson,
  errorToJson,
  Forbidden,
  Internal,
  InvalidInput,
  isOutage,
  mapErrorTexts,
  type NextStep,
  NotFound,
  RateLimited,
  type Suggestion,
  TooLarge,
  ToolError,
  Unauthenticated,
  Unavailable,
  withDetails,
} from './errors.ts'
export { type Audience, canonicalSpelling, Message, sentence, type Spelling } from './message.ts'
export { printable, printableJson, printableLine, spellingsOf } from './printable.ts'
export { redact, rememberSecret } from './redaction.ts'
export { storageFailure, withStorageFailures } from './storage-failure.ts'
export { isSystemError, systemErrorCode } from './system-error.ts'
export { count, firstCharacters, fittingLength, joinWords, quote, quoteIfNeeded, quoteVendor, truncate } from './text.ts'
