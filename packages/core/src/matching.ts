export { ErrorCollector, throwCombined } from './error-collector.ts'
export { autoAccept, rank, type Ranked } from './fuzzy.ts'
export { choiceAmong } from './choices.ts'
export {
  findReference,
  findReferences,
  type Candidate,
  type Excluded,
  type Reference,
  type ReferenceOptions,
  type Refusal,
} from './references.ts'
