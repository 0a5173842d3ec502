import { InvalidInput } from '@mcp-toolkits/core'

interface Days {
  readonly start_date?: string | null | undefined
  readonly target_date?: string | null | undefined
}

/** Throws `InvalidInput` if the call sets a day and the two days, of the call or the project, are in the wrong order. */
export function checkDays({ start_date: start, target_date: target }: Days, current: Days = {}): void {
  if (start == null && target == null) return
  const [first, last] = [start ?? current.start_date, target ?? current.target_date]
  if (first == null || last == null || first <= last) return
  const describeDay = (date: string, argument: Days['start_date']) => (argument == null ? `${date}, as the project has it` : date)
  // The days may be reversed, or one of them may be mistaken: nothing says which.
  const suggested = [
    { value: last, parameter: 'start_date', confidence: 0.6 },
    { value: first, parameter: 'target_date', confidence: 0.6 },
  ]
  throw new InvalidInput(
    `"start_date" (${describeDay(first, start)}) is after "target_date" (${describeDay(last, target)}). Pass both days in the right order.`,
    { suggestions: suggested },
  )
}

/** The notice for days that are in the wrong order after a change of one of them, when the other was not known before. */
export function daysNotice({ start_date: start, target_date: target }: Days, project: Days): string | undefined {
  if ((start == null && target == null) || project.start_date == null || project.target_date == null) return undefined
  return project.start_date > project.target_date
    ? `The project starts (${project.start_date}) after its target date (${project.target_date}) now.`
    : undefined
}
