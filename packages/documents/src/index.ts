export { type DocumentText, maxDocumentBytes, readText, type Reading } from './read-text.ts'
export { LongText } from './long-text.ts'
export { type DocumentKind, type Refusal, refusalReasons } from './outcome.ts'
