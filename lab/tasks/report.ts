// The tables of the results.
import { table } from '../benchmarks/tables.ts'
import type { Figures, Run } from './run.ts'
import { type Grade, grades } from './task.ts'

export interface Scores {
  readonly grade: Grade | 'all'
  readonly tasks: number
  /** The share of runs that passed. */
  readonly pass1: number
  /** The share of tasks of which every run passed. */
  readonly passAll: number
  /** These three are means of a run. */
  readonly calls: number
  readonly tokens: number
  readonly seconds: number
  /** Runs that did harm. */
  readonly harm: number
}

const mean = (values: readonly number[]) => Math.round((1000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1000

/** The scores of each grade, and of all tasks. */
export function scoresOf(runs: readonly Run[]): Scores[] {
  const of = (grade: Scores['grade']): Scores[] => {
    const chosen = runs.filter((run) => grade === 'all' || run.grade === grade)
    const byTask = [...Map.groupBy(chosen, ({ id }) => id).values()]
    if (chosen.length === 0) return []
    return [
      {
        ...{ grade, tasks: byTask.length },
        pass1: mean(chosen.map(({ passed }) => Number(passed))),
        passAll: mean(byTask.map((each) => Number(each.every(({ passed }) => passed)))),
        calls: mean(chosen.map(({ calls }) => calls)),
        tokens: mean(chosen.map(({ input, output }) => input + output)),
        seconds: mean(chosen.map(({ seconds }) => seconds)),
        harm: chosen.filter(({ harm }) => harm.length > 0).length,
      },
    ]
  }
  return [...grades, 'all' as const].flatMap(of)
}

/** The table of a model's runs. */
export const scoreTable = (runs: readonly Run[], count: number): string =>
  table(
    ['', 'tasks', 'pass@1', `pass^${count}`, 'calls', 'tokens', 'seconds', 'runs with harm'],
    scoresOf(runs).map((row) => [row.grade, row.tasks, row.pass1, row.passAll, row.calls, row.tokens, row.seconds, row.harm]),
  )

export interface ReferenceFigures extends Figures {
  readonly id: string
  readonly grade: string
}

export interface Results {
  readonly measured_on: string
  readonly reference: { readonly ours: readonly ReferenceFigures[] }
}

/** The page of what the solutions need. */
export function page({ measured_on: day, reference: { ours } }: Results): string {
  const rows = ours.map(({ id, grade, calls, requests, tokens }) => [id, grade, calls, requests, tokens])
  const sum = (name: 'calls' | 'requests' | 'tokens') => ours.reduce((total, row) => total + row[name], 0)
  return [
    '# What the tasks need',
    'Written by `npm run tasks -- --reference`. [The tasks](README.md).',
    `No model was run. These are the solutions that come with the tasks, as an agent would do them that makes no mistake, with our servers on ${day}. A token is four bytes of results; requests are those of the servers to the vendors.`,
    table(['', 'grade', 'calls', 'requests', '≈ tokens'], [...rows, ['all', '', sum('calls'), sum('requests'), sum('tokens')]]),
    '',
  ].join('\n\n')
}
