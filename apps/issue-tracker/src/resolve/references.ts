import { type NextStep, NotFound, type ToolError } from '@mcp-toolkits/core'
import { ErrorCollector, type Candidate, findMatch, findMatches, type MatchOptions, throwCombined } from '@mcp-toolkits/core/matching'
import { refusalOfMe } from './me.ts'

/** One parameter that refers to something, and what its names could be. */
export interface Question extends Omit<MatchOptions, 'parameter' | 'autoAccept'> {
  /** One reference, or several for a parameter that takes a list; undefined when it was not given. */
  readonly wanted: string | readonly string[] | undefined
  /** What Linear found under these names. */
  readonly found: readonly Candidate[]
}

export interface Resolving<Parameter extends string> {
  /** More that the names could mean, by parameter, for those that missed; asked for once, and only when one did. */
  readonly suggest: (missed: readonly Parameter[]) => Promise<Partial<Readonly<Record<Parameter, readonly Candidate[]>>>>
  readonly autoAccept: boolean
  /** What is wrong with the call besides, to be reported with the rest. */
  readonly failures?: readonly ToolError[]
}

/** The tools that list what there is of a kind in the whole workspace. */
const listedBy: Readonly<Record<string, NextStep>> = {
  team: { tool: 'IssueTracker.ListTeams' },
  project: { tool: 'IssueTracker.ListProjects' },
  initiative: { tool: 'IssueTracker.ListInitiatives' },
}

/**
 * Finds what the references of a call mean and hands it out by parameter: nothing for one that was not given. Throws one error that
 * reports every reference that is missing or has several meanings, each with suggestions.
 */
export async function resolve<Parameter extends string>(
  questions: Readonly<Record<Parameter, Question>>,
  { suggest, autoAccept, failures = [] }: Resolving<Parameter>,
): Promise<(parameter: Parameter) => readonly Candidate[]> {
  const parameters = keysOf(questions)
  const missed = parameters.filter((parameter) => misses(questions[parameter], parameter))
  const more = missed.length === 0 ? undefined : await suggest(missed)
  const attempts = new ErrorCollector()
  const answers = new Map(
    parameters.map((parameter) => {
      const question = questions[parameter]
      const found = [...question.found, ...(more?.[parameter] ?? [])]
      return [parameter, attempts.collect(() => answer({ ...question, found }, parameter, autoAccept))]
    }),
  )
  throwCombined([...failures, ...attempts.failures])
  return (parameter) => answers.get(parameter)?.() ?? []
}

function misses({ wanted = [], ...question }: Question, parameter: string): boolean {
  const attempts = new ErrorCollector()
  for (const one of typeof wanted === 'string' ? [wanted] : wanted) {
    attempts.collect(() => answer({ ...question, wanted: one }, parameter, false))
  }
  return attempts.failures.some((failure) => failure instanceof NotFound)
}

function answer({ wanted, found, ...question }: Question, parameter: string, autoAccept: boolean): readonly Candidate[] {
  if (wanted === undefined) return []
  const options = { listedBy: listedBy[question.kind], ...question, parameter, autoAccept }
  if (typeof wanted !== 'string') return findMatches(wanted, found, options).map(({ candidate: match }) => match)
  const me = question.kind === 'person' ? refusalOfMe(parameter, wanted) : undefined
  const missing = me ? { message: me.message, next: me.details.next } : question.notFound
  return [findMatch(wanted, found, { ...options, notFound: missing }).candidate]
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = []
  for (const key in record) keys.push(key)
  return keys
}
