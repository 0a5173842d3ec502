export { ErrorCollector, throwCombined } from '../error-collector.ts'
export { createChoice, type Candidate, type Explanation, type IneligibleCandidates, type MatchOptions } from './candidates.ts'
export { exactMatcher, findMatch, findMatches, type Match } from './match.ts'
export { rank } from './rank.ts'
