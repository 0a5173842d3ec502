export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

const namePattern = '[a-zA-Z_][a-zA-Z0-9_]*'
const labelPattern = `${namePattern}="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"`
const samplePattern = new RegExp(`^(${namePattern})(?:\\{(${labelPattern}(?:,${labelPattern})*)\\})? (\\S+)$`)

/**
 * Reads metrics as Prometheus does, but more strictly: every family has its help and type before its samples, no sample occurs twice, and a
 * histogram's buckets only grow. Throws for anything else. https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parsePrometheus(text: string): MetricFamily[] {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.')
  const families: { name: string; type: MetricFamily['type']; help: string; samples: Sample[] }[] = []
  let help: { readonly name: string; readonly text: string } | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') help = { name, text: rest }
    else if (kind === 'TYPE') {
      if (help?.name !== name) throw new Error(`${name} has no help.`)
      if (families.some((family) => family.name === name)) throw new Error(`${name} comes twice.`)
      families.push({ name, type: typeOf(rest), help: help.text, samples: [] })
    } else if (kind === undefined) {
      const family = families.at(-1)
      const sample = parseSample(line)
      if (!family || !belongsTo(sample.name, family)) throw new Error(`${sample.name} belongs to no metric.`)
      if (family.samples.some((other) => keyOf(other) === keyOf(sample))) throw new Error(`${keyOf(sample)} comes twice.`)
      family.samples.push(sample)
    }
  }
  for (const family of families) if (family.type === 'histogram') checkBuckets(family)
  return families
}

function typeOf(text: string): MetricFamily['type'] {
  if (text === 'counter' || text === 'gauge' || text === 'histogram') return text
  throw new Error(`There is no type ${text}.`)
}

function parseSample(line: string): Sample {
  const [, name, labels = '', number = ''] = samplePattern.exec(line) ?? []
  if (name === undefined) throw new Error(`Not a sample: ${line}`)
  const pairs = [...labels.matchAll(new RegExp(`(?<=^|,)(${namePattern})="((?:[^"\\\\]|\\\\.)*)"`, 'g'))]
  const value = number === '+Inf' ? Infinity : Number(number)
  if (Number.isNaN(value)) throw new Error(`Not a number: ${line}`)
  return { name, labels: Object.fromEntries(pairs.map(([, key = '', each = '']) => [key, each])), value }
}

function belongsTo(sample: string, { name, type }: Pick<MetricFamily, 'name' | 'type'>): boolean {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].some((suffix) => sample === `${name}${suffix}`) : sample === name
}

type Series = Pick<Sample, 'name' | 'labels'>

function keyOf({ name, labels }: Series): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`
}

/** The labels, without a bucket's bound. */
function seriesOf({ name, labels }: Series): string {
  return keyOf({ name, labels: Object.fromEntries(Object.entries(labels).filter(([label]) => label !== 'le')) })
}

function checkBuckets({ name, samples }: MetricFamily): void {
  const counts = samples.filter((sample) => sample.name === `${name}_count`)
  if (counts.length === 0) throw new Error(`${name} has no count.`)
  for (const { labels, value } of counts) {
    const series = seriesOf({ name, labels })
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && seriesOf({ ...sample, name }) === series)
    const bounds = buckets.map((bucket) => (bucket.labels['le'] === '+Inf' ? Infinity : Number(bucket.labels['le'])))
    const isSorted = (numbers: readonly number[]) => numbers.every((each, index) => index === 0 || each >= (numbers[index - 1] ?? 0))
    if (bounds.at(-1) !== Infinity || !isSorted(bounds)) throw new Error(`The bounds of ${name} are wrong.`)
    if (!isSorted(buckets.map((bucket) => bucket.value)) || buckets.at(-1)?.value !== value) throw new Error(`${name} does not add up.`)
  }
}
