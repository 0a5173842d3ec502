import { amended, type NextStep, NotFound, ToolError } from '@mcp-toolkits/core'
import { type Candidate, findReference, findReferences, reportTogether } from '@mcp-toolkits/core/matching'

/** One parameter that refers to something, and what its names could be. */
export interface Question {
  /** What is referred to, as a noun in the singular: `workflow state`. */
  readonly kind: string
  /** One reference, or several for a parameter that takes a list; undefined when it was not given. */
  readonly wanted: string | readonly string[] | undefined
  /** What Linear found under these names. */
  readonly found: readonly Candidate[]
  /** What has such a name but cannot be meant, and what to say of it. */
  readonly excluded?: { readonly found: readonly Candidate[]; readonly because: (one: Candidate) => Excluded }
}

/** Why something cannot be meant, and what can be done about it. */
export interface Excluded {
  readonly message: string
  readonly next?: NextStep
}

export interface Resolving<Parameter extends string> {
  /** More that the names could mean, by parameter, for those that missed; asked for once, and only when one did. */
  readonly suggest: (missed: readonly Parameter[]) => Promise<Partial<Readonly<Record<Parameter, readonly Candidate[]>>>>
  readonly autoAccept: boolean
  /** What is wrong with the call besides, to be reported with the rest. */
  readonly failures?: readonly ToolError[]
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
  const missed = parameters.filter((parameter) => misses(parameter, questions[parameter]))
  const more = missed.length === 0 ? undefined : await suggest(missed)
  const found = new Map<Parameter, readonly Candidate[]>()
  const failed = parameters.flatMap((parameter) => {
    const question = questions[parameter]
    const outcome = answer({ ...question, found: [...question.found, ...(more?.[parameter] ?? [])] }, parameter, autoAccept)
    if ('failure' in outcome) return [outcome.failure]
    found.set(parameter, outcome.means)
    return []
  })
  reportTogether([...failures, ...failed])
  return (parameter) => found.get(parameter) ?? []
}

function misses(parameter: string, { wanted = [], ...question }: Question): boolean {
  return listOf(wanted).some((one) => {
    const outcome = answer({ ...question, wanted: one }, parameter, false)
    return 'failure' in outcome && outcome.failure instanceof NotFound
  })
}

type Answer = { readonly means: readonly Candidate[] } | { readonly failure: ToolError }

function answer({ kind, wanted, found, excluded }: Question, parameter: string, autoAccept: boolean): Answer {
  const options = { kind, parameter, autoAccept }
  try {
    if (wanted === undefined) return { means: [] }
    if (typeof wanted === 'string') return { means: [findReference(wanted, found, options).match] }
    return { means: findReferences(wanted, found, options).map(({ match }) => match) }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const outside = excluded && error instanceof NotFound ? excluded.found[0] : undefined
    if (!outside || !excluded) return { failure: error }
    const { message, next = error.details.next } = excluded.because(outside)
    return { failure: amended(error, message, { ...error.details, ...(next && { next }) }) }
  }
}

function listOf(wanted: string | readonly string[]): readonly string[] {
  return typeof wanted === 'string' ? [wanted] : wanted
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  const keys: Key[] = []
  for (const key in record) keys.push(key)
  return keys
}
