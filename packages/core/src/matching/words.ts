export { isMisspelling } from '../arguments/spelling.ts'
export { splitWords, stem } from './polarity.ts'
export { createSearch, type SearchHit } from './search.ts'
