import { isDeepStrictEqual } from 'node:util'
import { Ambiguous, type Choice, type ErrorDetails, InvalidInput, NotFound, type Suggestion, type ToolError } from './errors.ts'
import { Message } from './message.ts'

/** How much of many failures is told: a list of hundreds of wrong names is read by nobody. */
const mostMessages = 12
const mostSuggestions = 30

/** Whether an error is about the arguments alone, so that it can wait for others to be reported with it. */
export function isArgumentError(error: unknown): error is NotFound | Ambiguous | InvalidInput {
  return error instanceof NotFound || error instanceof Ambiguous || error instanceof InvalidInput
}

/**
 * Attempts that are all made before any failure is reported, so that the caller mends everything at once:
 *
 *     const attempts = new Attempts()
 *     const team = attempts.attempt(() => findReference(args.team, teams, …))
 *     const assignee = attempts.attempt(() => findReference(args.assignee, users, …))
 *     attempts.report()
 *     team().match.id
 */
export class ErrorCollector {
  readonly #failures: ToolError[] = []

  /** Makes the attempt now. The returned function hands out its result, or throws what it threw. */
  collect<T>(make: () => T): () => T {
    try {
      const result = make()
      return () => result
    } catch (error) {
      if (!isArgumentError(error)) throw error
      this.#failures.push(error)
      return () => {
        throw error
      }
    }
  }

  /** What failed so far, to be reported with other failures. */
  get failures(): readonly ToolError[] {
    return this.#failures
  }

  /** Throws one error for all attempts that failed so far; returns when none did. */
  throwIfAny(): void {
    throwCombined(this.#failures)
  }
}

/**
 * Throws one error for all failures; returns when there are none. It is `NotFound` or `Ambiguous` when all are, otherwise
 * `InvalidInput`. An error that is not about the arguments (`Forbidden`, `Unavailable`) is thrown by itself.
 */
export function throwCombined(failures: readonly ToolError[]): void {
  const [first] = failures
  if (first === undefined) return
  const other = failures.find((failure) => !isArgumentError(failure))
  throw other ?? (failures.length === 1 ? first : combineErrors(failures, commonChange(failures)))
}

/** One error that says what all of them say, and proposes `change`, or else the first tool that one of them points to. It has choices only where they mend all of it. */
export function combineErrors(failures: readonly ToolError[], change: Readonly<Record<string, unknown>>): ToolError {
  const texts = [...new Map(failures.map(({ message, text }) => [message, text])).values()]
  const more = texts.length > mostMessages ? [`${texts.length - mostMessages} more are wrong.`] : []
  const message = Message.of(...texts.slice(0, mostMessages), ...more)
  const next = Object.keys(change).length > 0 ? { change } : failures.find(({ details }) => details.next?.tool)?.details.next
  const details: ErrorDetails = {
    suggestions: failures
      .flatMap((failure) => failure.details.suggestions ?? [])
      .filter(isFirst)
      .slice(0, mostSuggestions),
    ...(next && { next }),
  }
  if (failures.every((failure) => failure instanceof NotFound)) return new NotFound(message, details)
  if (failures.every((failure) => failure instanceof Ambiguous)) return new Ambiguous(message, { ...details, ...allChoices(failures) })
  return new InvalidInput(message, details)
}

function isFirst({ id, value }: Suggestion, index: number, all: readonly Suggestion[]): boolean {
  return all.findIndex((one) => one.id === id && one.value === value) === index
}

function allChoices(failures: readonly ToolError[]): Pick<ErrorDetails, 'choices'> {
  if (failures.some((failure) => failure.details.choices === undefined)) return {}
  return { choices: failures.flatMap((failure) => failure.details.choices ?? []).filter(isFirstChoice) }
}

function isFirstChoice({ parameter, reference: given }: Choice, index: number, all: readonly Choice[]): boolean {
  return all.findIndex((one) => one.parameter === parameter && one.reference === given) === index
}

/** What the failures propose, without the parameters for which they propose different values. */
function commonChange(failures: readonly ToolError[]): Record<string, unknown> {
  const proposed = failures.flatMap((failure) => Object.entries(failure.details.next?.change ?? {}))
  return Object.fromEntries(
    proposed.filter(([parameter, value]) => proposed.every(([other, fix]) => other !== parameter || isDeepStrictEqual(fix, value))),
  )
}
