export { ErrorCollector, throwCombined } from '../error-collector.ts'
export { autoAccept, rank, type Ranked } from './rank.ts'
export { createChoice } from './report.ts'
export {
  findMatch,
  findMatches,
  type Candidate,
  type IneligibleCandidates,
  type Match,
  type MatchOptions,
  type Explanation,
} from './match.ts'
