// The tables of the results.
import { table } from '../benchmarks/tables.ts'
import type { Figures, Run } from './run.ts'
import { type Grade, grades } from './task.ts'

export interface Scores {
  readonly grade: Grade | 'all'
  readonly tasks: number
  /** The share of scored runs that passed; like all shares and means, null if there are no such runs. */
  readonly pass1: number | null
  /** The share of tasks whose runs all passed, among those whose runs are all scored. */
  readonly passAll: number | null
  /** This and the next two: means per scored run. */
  readonly calls: number | null
  readonly tokens: number | null
  readonly seconds: number | null
  /** Number of scored runs that did harm. */
  readonly harm: number
  /** Number of runs that an endpoint's or a server's error ended. */
  readonly unscored: number
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : Math.round((1000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1000

/** The scores for each grade, and for all tasks. */
export function scoresOf(runs: readonly Run[]): Scores[] {
  const of = (grade: Scores['grade']): Scores[] => {
    const all = runs.filter((run) => grade === 'all' || run.grade === grade)
    const byTask = [...Map.groupBy(all, ({ id }) => id).values()]
    const complete = byTask.filter((each) => each.every(({ scored }) => scored))
    const chosen = all.filter(({ scored }) => scored)
    if (all.length === 0) return []
    return [
      {
        ...{ grade, tasks: byTask.length },
        pass1: mean(chosen.map(({ passed }) => Number(passed))),
        passAll: mean(complete.map((each) => Number(each.every(({ passed }) => passed)))),
        calls: mean(chosen.map(({ calls }) => calls)),
        tokens: mean(chosen.map(({ input, output }) => input + output)),
        seconds: mean(chosen.map(({ seconds }) => seconds)),
        harm: chosen.filter(({ harm }) => harm.length > 0).length,
        unscored: all.length - chosen.length,
      },
    ]
  }
  return [...grades, 'all' as const].flatMap(of)
}

/** The table of a model's runs. */
export const scoreTable = (runs: readonly Run[], count: number): string =>
  table(
    ['', 'tasks', 'pass@1', `pass^${count}`, 'calls', 'tokens', 'seconds', 'runs with harm', 'not scored'],
    scoresOf(runs).map((row) => [row.grade, row.tasks, row.pass1, row.passAll, row.calls, row.tokens, row.seconds, row.harm, row.unscored]),
  )

export interface ReferenceFigures extends Figures {
  readonly id: string
  readonly grade: string
}

/** A peer's result in one task. */
export interface PeerFigures extends Partial<Figures> {
  readonly peer: string
  readonly id: string
  readonly outcome: string
  readonly reason?: string
}

export interface Results {
  readonly measured_on: string
  readonly reference: { readonly ours: readonly ReferenceFigures[]; readonly peers: readonly PeerFigures[] }
}

const measures = ['calls', 'requests', 'tokens'] as const
type Measure = (typeof measures)[number]
const sumOf = (list: readonly Partial<Figures>[], name: Measure) => list.reduce((total, row) => total + (row[name] ?? 0), 0)

/** The effort of the solutions, task by task. */
export function referenceTable(ours: readonly ReferenceFigures[]): string {
  const rows = ours.map(({ id, grade, calls, requests, tokens }) => [id, grade, calls, requests, tokens])
  return table(['', 'grade', ...measures], [...rows, ['all', '', ...measures.map((name) => sumOf(ours, name))]])
}

/** The peers compared with our servers: how tasks end with the peers, and the effort for those that end right. */
function peerTable({ ours, peers }: Results['reference']): string {
  const byPeer = [...Map.groupBy(peers, ({ peer }) => peer)]
  return table(
    ['', 'tasks', 'right', 'wrong', 'fails', 'cannot', ...measures.map((name) => `${name}, ours`)],
    byPeer.map(([peer, list]) => {
      const right = list.filter(({ outcome }) => outcome === 'right')
      const same = ours.filter(({ id }) => right.some((each) => each.id === id))
      const counts = ['right', 'wrong', 'fails', 'cannot'].map((word) => list.filter(({ outcome }) => outcome === word).length)
      return [`\`${peer}\``, list.length, ...counts, ...measures.map((name) => `${sumOf(right, name)}, ${sumOf(same, name)}`)]
    }),
  )
}

const quoted = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160)

/** The page about the effort of the solutions. */
export function page({ measured_on: day, reference }: Results): string {
  const { ours, peers } = reference
  return [
    '# What the tasks need',
    'Written by `npm run tasks -- --reference`. [The tasks](README.md).',
    `No model was run. These are the solutions that come with the tasks, as an agent would do them that makes no mistake, with our servers on ${day}. A token is four bytes of results; requests are those of the servers to the vendors.`,
    referenceTable(ours),
    '## Beside the peers',
    'Five packages from npm, with the tasks of their vendor and solutions in their own tools, against the same emulators. Only Linear and Drive have peers here. *Wrong* means that something is missing or was harmed, *fails* that a tool refuses, *cannot* that there is no tool for it. The last columns count what ends right, theirs first, then ours for the same tasks.',
    peerTable(reference),
    'Task by task:',
    table(
      ['', '', 'ends', ...measures, ''],
      peers.map(({ peer, id, outcome, reason = '', ...each }) => [
        `\`${peer}\``,
        id,
        outcome,
        ...measures.map((name) => each[name]),
        quoted(reason),
      ]),
    ),
    '',
  ].join('\n\n')
}
