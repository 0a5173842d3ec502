import { isDeepStrictEqual } from 'node:util'
import { Ambiguous, type ErrorDetails, InvalidInput, NotFound, type ToolError } from './errors.ts'
import { Message } from './message.ts'

const maxMessages = 12
const maxSuggestions = 30

/** True if an error concerns only the arguments, so that it can be reported together with others. */
export function isArgumentError(error: unknown): error is NotFound | Ambiguous | InvalidInput {
  return error instanceof NotFound || error instanceof Ambiguous || error instanceof InvalidInput
}

/**
 * Makes all attempts before it reports a failure, so that the caller can fix everything at once:
 *
 *     const errors = new ErrorCollector()
 *     const team = errors.collect(() => findMatch(args.team, teams, …))
 *     const assignee = errors.collect(() => findMatch(args.assignee, users, …))
 *     errors.throwIfAny()
 *     team().candidate.id
 */
export class ErrorCollector {
  readonly #failures: ToolError[] = []

  /** Makes an attempt now. The returned function returns its result, or throws its error. */
  collect<T>(attempt: () => T): () => T {
    try {
      const result = attempt()
      return () => result
    } catch (error) {
      if (!isArgumentError(error)) throw error
      this.#failures.push(error)
      return () => {
        throw error
      }
    }
  }

  /** Like `collect`, for an asynchronous attempt. */
  async collectAsync<T>(attempt: Promise<T>): Promise<() => T> {
    const outcome = await attempt.then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error
      },
    )
    return this.collect(outcome)
  }

  /** Failures so far, to be reported together with others. */
  get failures(): readonly ToolError[] {
    return this.#failures
  }

  /** Throws one error for all attempts that have failed so far; returns if there are none. */
  throwIfAny(): void {
    throwCombined(this.#failures)
  }
}

/**
 * Throws one error for all failures; returns if there are none. The error is `NotFound` or `Ambiguous` if every failure has that
 * class, otherwise `InvalidInput`. An error that does not concern the arguments (`Forbidden`, `Unavailable`) is thrown alone.
 */
export function throwCombined(failures: readonly ToolError[]): void {
  const [first] = failures
  if (first === undefined) return
  const other = failures.find((failure) => !isArgumentError(failure))
  throw other ?? (failures.length === 1 ? first : combineErrors(failures, commonChange(failures)))
}

/**
 * One error with the text of all failures. It proposes `change`, or else the first tool that a failure proposes. It has choices only if
 * answering them resolves every failure.
 */
export function combineErrors(failures: readonly ToolError[], change: Readonly<Record<string, unknown>>): ToolError {
  const texts = [...new Map(failures.map(({ message, text }) => [message, text])).values()]
  const left = texts.length - maxMessages
  const more = left > 0 ? [`${left} more ${left === 1 ? 'problem is' : 'problems are'} not listed.`] : []
  const message = Message.of(...texts.slice(0, maxMessages), ...more)
  const next = Object.keys(change).length > 0 ? { change } : failures.find(({ details }) => details.next?.tool)?.details.next
  const details: ErrorDetails = {
    suggestions: uniqueBy(
      failures.flatMap((failure) => failure.details.suggestions ?? []),
      ({ id, value, parameter }) => [id, value, parameter],
    ).slice(0, maxSuggestions),
    ...(next && { next }),
  }
  if (failures.every((failure) => failure instanceof NotFound)) return new NotFound(message, details)
  if (failures.every((failure) => failure instanceof Ambiguous)) return new Ambiguous(message, { ...details, ...allChoices(failures) })
  return new InvalidInput(message, details)
}

function allChoices(failures: readonly ToolError[]): Pick<ErrorDetails, 'choices'> {
  if (failures.some((failure) => failure.details.choices === undefined)) return {}
  const choices = failures.flatMap((failure) => failure.details.choices ?? [])
  return { choices: uniqueBy(choices, ({ parameter, reference }) => [parameter, reference]) }
}

function uniqueBy<Item>(items: readonly Item[], key: (item: Item) => unknown): Item[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(key(item))).values()].flatMap((group) => group.slice(0, 1))
}

/** The change that the failures propose, without parameters for which they propose different values. */
function commonChange(failures: readonly ToolError[]): Record<string, unknown> {
  const proposed = failures.flatMap((failure) => Object.entries(failure.details.next?.change ?? {}))
  const byParameter = Map.groupBy(proposed, ([parameter]) => parameter)
  const agreed = [...byParameter.values()].flatMap(([first, ...others]) =>
    first && others.every(([, fix]) => isDeepStrictEqual(fix, first[1])) ? [first] : [],
  )
  return Object.fromEntries(agreed)
}
