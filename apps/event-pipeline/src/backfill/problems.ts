/** One kind of problem and the affected rows. */
export interface Problem {
  /** The call's field; empty for the row as a whole. */
  readonly at: string
  readonly problem: string
  /** True if the rows are not sent. */
  readonly isRefused: boolean
  readonly count: number
  /** `4,7-9`; ends with `,…` if there are more ranges. */
  readonly rows: string
}

/** Maximum number of kinds of problem that are kept, and of row ranges for each kind. */
const maxKinds = 40
const maxRanges = 40

interface Kind extends Omit<Problem, 'count' | 'rows'> {
  count: number
  readonly ranges: [number, number][]
  isCut: boolean
}

const others = 'has some other problem, of a kind not listed.'

/** Counts problems by kind in bounded memory. Rows come in ascending order. */
export class Problems {
  readonly #kinds = new Map<string, Kind>()

  constructor(known: readonly Problem[] = []) {
    for (const each of known)
      this.#kinds.set(keyOf(each), { ...each, ranges: readRanges(each.rows).ranges, isCut: each.rows.endsWith('…') })
  }

  add(row: number, found: Pick<Problem, 'at' | 'problem' | 'isRefused'>): void {
    const isNew = !this.#kinds.has(keyOf(found)) && this.#kinds.size >= maxKinds
    const { at, problem, isRefused } = isNew ? { at: '', problem: others, isRefused: found.isRefused } : found
    const key = keyOf({ at, problem, isRefused })
    const kind = this.#kinds.get(key) ?? { at, problem, isRefused, count: 0, ranges: [], isCut: false }
    this.#kinds.set(key, kind)
    const last = kind.ranges.at(-1)
    if (row === last?.[1]) return
    kind.count += 1
    if (last && row === last[1] + 1 && !kind.isCut) last[1] = row
    else if (kind.ranges.length < maxRanges) kind.ranges.push([row, row])
    else kind.isCut = true
  }

  list(): Problem[] {
    return [...this.#kinds.values()].map(({ ranges, isCut, ...kind }) => ({
      ...kind,
      rows: `${ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')}${isCut ? ',…' : ''}`,
    }))
  }
}

const keyOf = ({ at, problem, isRefused }: Pick<Problem, 'at' | 'problem' | 'isRefused'>) => JSON.stringify([at, problem, isRefused])

/** The ranges in text such as `4,7-9`, and any parts that are not ranges. */
export function readRanges(rows: string): { readonly ranges: [number, number][]; readonly others: string[] } {
  const ranges: [number, number][] = []
  const others: string[] = []
  for (const part of rows.split(',').filter((each) => each.trim() !== '')) {
    const [, from, to = from] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? []
    if (from === undefined || Number(from) > Number(to)) others.push(part.trim())
    else ranges.push([Number(from), Number(to)])
  }
  return { ranges, others }
}
