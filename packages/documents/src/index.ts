export { maxDocumentBytes, readText, type Reading } from './read-text.ts'
export { type DocumentText, LongText } from './long-text.ts'
export { type DocumentKind, type Refusal, refusalReasons } from './outcome.ts'
