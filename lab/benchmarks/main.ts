// Runs the benchmarks that the arguments name, or all, one after another: `npm run bench -- start`. Run after a build.
import { parseArgs } from 'node:util'
import type { BenchOptions } from './bench.ts'

type Option = 'quick' | 'sections' | 'cases'

interface Bench {
  /** One line for the help. */
  readonly about: string
  readonly options: readonly Option[]
  readonly load: () => Promise<{ readonly run: (options: BenchOptions) => Promise<void> }>
}

const benches: Readonly<Record<string, Bench>> = {
  start: {
    about: 'from the spawn to the list of tools, beside a server with one tool; what is installed and loaded',
    options: ['quick'],
    load: () => import('./start/bench.ts'),
  },
  peers: {
    about: 'start, requests, tokens, faults and repeats beside what is on npm (needs npm; 15 minutes)',
    options: ['quick', 'sections'],
    load: () => import('./peers/bench.ts'),
  },
  growth: {
    about: 'time, requests and memory of a call by how much there is; four processes on one data directory',
    options: ['quick'],
    load: () => import('./growth/bench.ts'),
  },
  uploads: {
    about: 'a file of 1 GiB into Drive and out again while connections break: time and memory (3 GB of disk)',
    options: ['quick'],
    load: () => import('./uploads/bench.ts'),
  },
  events: {
    about: 'what an event costs in the outbox, and how fast a queue drains (PostgreSQL, PgBouncer)',
    options: ['quick'],
    load: () => import('./events/bench.ts'),
  },
  backfill: {
    about: 'files of 50,000 and 200,000 events, undisturbed and killed ten times: rate, memory, what is lost; --sections names other sizes',
    options: ['quick', 'sections'],
    load: () => import('./backfill/bench.ts'),
  },
  people: {
    about: 'what it costs that each call acts as its person, and the memory with 1,000 people',
    options: ['quick'],
    load: () => import('./people/bench.ts'),
  },
  replicas: {
    about: 'calls per second over HTTP with one, two and four replicas (PostgreSQL)',
    options: ['quick'],
    load: () => import('./replicas/bench.ts'),
  },
  agents: {
    about: 'how mistaken calls end, whether printed values are accepted, what agents read and find',
    options: ['sections', 'cases'],
    load: () => import('./agents/bench.ts'),
  },
}

const help = `npm run bench -- [NAME …] [OPTION …]

Runs the benchmarks that are named, or all. Each writes results.json and results.md beside it, and fails above its limits.

${Object.entries(benches)
  .map(([name, { about, options }]) => `  ${name.padEnd(9)} ${about}${options.map((option) => `\n${' '.repeat(12)}--${option}`).join('')}`)
  .join('\n')}

  --quick           as little as shows that it works; writes nothing
  --sections=WORDS  some parts, divided by commas, as the first lines of the benchmark name them
  --cases=FILE      other mistaken calls, one a line as in lab/benchmarks/agents/cases; --sections names their server
  --help            prints this
`

const refuse = (message: string): never => {
  console.error(`${message}\n\n${help}`)
  process.exit(2)
}

function readArguments() {
  const options = {
    quick: { type: 'boolean' },
    sections: { type: 'string' },
    cases: { type: 'string' },
    help: { type: 'boolean' },
  } as const
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    // Node's message goes on to explain how to pass a name that begins with a dash.
    return refuse(error instanceof Error ? error.message.replace(/\. To specify .*/, '.') : String(error))
  }
}

const {
  values: { help: wantsHelp, ...values },
  positionals,
} = readArguments()
const names = positionals.length > 0 ? positionals : Object.keys(benches)
const unknown = names.filter((name) => !Object.hasOwn(benches, name))
if (wantsHelp === true) console.log(help)
else if (unknown.length > 0) refuse(`There is no benchmark "${unknown.join(', ')}".`)
else {
  const options = { isQuick: values.quick === true, sections: values.sections?.split(',') ?? [], cases: values.cases }
  for (const name of names) {
    const { options: known = [], load } = benches[name] ?? {}
    const foreign = Object.keys(values).filter((option) => !known.some((each) => each === option))
    if (foreign.length > 0) refuse(`${name} has no option --${foreign.join(', --')}.`)
    const { run } = (await load?.()) ?? {}
    await run?.(options)
  }
}
