export { type DocumentText, maxDocumentBytes, readText, type Reading } from './read-text.ts'
export { LongText } from './long-text.ts'
export type { DocumentKind, Refusal } from './outcome.ts'
