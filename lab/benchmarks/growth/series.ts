// What grows: each series measures one job at several sizes, beside a reference that does only what no server can leave out.
import { figuresOf, type Figures, medianOf } from '../statistics.ts'
import { exponentOf } from './fit.ts'

/** One size, measured once in a process that was started for it. */
export interface Sample {
  readonly ms: number
  /** Peak memory of the server; null where the system does not report it. */
  readonly peakMb: number | null
  /** What is the same in every run: requests to the vendor, chunks, bytes. */
  readonly counts: Readonly<Record<string, number>>
  /** The limit, measured right before or after. */
  readonly limitMs?: number
  /** Other figures of the series, such as calls per second. */
  readonly details?: Readonly<Record<string, number>>
}

/** What a series needs while it is measured: emulators, upstreams, directories. */
export interface OpenSeries extends AsyncDisposable {
  readonly measure: (size: number) => Promise<Sample>
}

export interface Series {
  /** Names it on the command line and in the results: `events`. */
  readonly name: string
  /** What is done, for people: `single events over stdio, 16 in flight`. */
  readonly job: string
  /** What the size counts: `events`. */
  readonly unit: string
  /** What `limitMs` measures; undefined without one. */
  readonly limit: string | undefined
  /** In ascending order, with how often each is measured. The first ones are those of `--quick`, which measures each once. */
  readonly sizes: readonly { readonly size: number; readonly rounds: number }[]
  /** How many of the sizes `--quick` measures. */
  readonly quick: number
  /** The largest exponent of memory that is allowed: 0.2 for what should need the same at every size once it is warm, 1 for what holds its data. */
  readonly memoryExponent: number
  readonly open: () => Promise<OpenSeries>
  /** Sentences about what the figures must not be, beyond the exponents. */
  readonly problems?: (points: readonly SizeResult[]) => readonly string[]
}

/** All rounds of one size. */
export interface SizeResult {
  readonly size: number
  readonly rounds: number
  readonly ms: Figures
  readonly limit_ms?: Figures
  /** The highest of all rounds. */
  readonly peak_mb: number | null
  readonly counts: Readonly<Record<string, number>>
  /** Medians. */
  readonly details: Readonly<Record<string, number>>
}

export interface SeriesResult {
  readonly name: string
  readonly job: string
  readonly unit: string
  readonly limit: string | null
  readonly points: readonly SizeResult[]
  /** Of time, memory and limit; null where there are too few figures. */
  readonly exponents: Readonly<Record<'ms' | 'peak_mb' | 'limit_ms', number | null>>
}

/** Time may grow a little faster than the size because figures vary from run to run. */
const maxTimeExponent = 1.1

/** Measures all sizes of a series, or those of its quick form. */
export async function measureSeries(series: Series, isQuick: boolean): Promise<SeriesResult> {
  await using open = await series.open()
  const points: SizeResult[] = []
  for (const { size, rounds } of isQuick ? series.sizes.slice(0, series.quick) : series.sizes) {
    const samples: Sample[] = []
    for (let round = 0; round < (isQuick ? 1 : rounds); round += 1) samples.push(await open.measure(size))
    const point = resultOf(size, samples)
    console.error(series.name, JSON.stringify(point))
    points.push(point)
  }
  const { name, job, unit, limit = null } = series
  return { name, job, unit, limit, points, exponents: exponentsOf(points) }
}

function resultOf(size: number, samples: readonly Sample[]): SizeResult {
  const [first] = samples
  if (!first) throw new Error('A size is measured at least once.')
  const differing = samples.find(({ counts }) => JSON.stringify(counts) !== JSON.stringify(first.counts))
  if (differing) throw new Error(`Counts differ between rounds: ${JSON.stringify([first.counts, differing.counts])}`)
  const limits = samples.flatMap(({ limitMs }) => limitMs ?? [])
  const peaks = samples.flatMap(({ peakMb }) => peakMb ?? [])
  const details = Object.keys(first.details ?? {}).map((name): [string, number] => [
    name,
    medianOf(samples.map((each) => each.details?.[name] ?? Number.NaN)),
  ])
  return {
    ...{
      size,
      rounds: samples.length,
      ms: figuresOf(
        samples.map(({ ms }) => ms),
        2,
      ),
    },
    ...(limits.length > 0 && { limit_ms: figuresOf(limits, 2) }),
    peak_mb: peaks.length > 0 ? Math.max(...peaks) : null,
    counts: first.counts,
    details: Object.fromEntries(details),
  }
}

function exponentsOf(points: readonly SizeResult[]): SeriesResult['exponents'] {
  const fit = (valueOf: (point: SizeResult) => number | null | undefined) => {
    const exponent = exponentOf(points.map((point) => ({ size: point.size, value: valueOf(point) ?? Number.NaN })))
    return Number.isFinite(exponent) ? Math.round(100 * exponent) / 100 : null
  }
  return {
    ms: fit(({ ms }) => ms.median),
    peak_mb: fit(({ peak_mb: peak }) => peak),
    limit_ms: fit(({ limit_ms: limit }) => limit?.median),
  }
}

/** What of a series must not be, in sentences. */
export function problemsOf(series: Series, { points, exponents }: SeriesResult): string[] {
  const { ms, peak_mb: memory } = exponents
  return [
    ...(ms !== null && ms > maxTimeExponent
      ? [`its time grows with the size to the power of ${ms}; at most ${maxTimeExponent} is allowed`]
      : []),
    ...(memory !== null && memory > series.memoryExponent
      ? [`its memory grows with the size to the power of ${memory}; at most ${series.memoryExponent} is allowed`]
      : []),
    ...(series.problems?.(points) ?? []),
  ].map((problem) => `${series.name}: ${problem}.`)
}
