// Runs the benchmarks in the arguments, or all, one after another: `npm run bench -- start`. Run after a build.
const benchmarks: Readonly<Record<string, () => Promise<unknown>>> = {
  weight: () => import('./weight.ts'),
  start: () => import('./start.ts'),
  transfers: () => import('./transfers.ts'),
  'shared-data': () => import('./shared-data.ts'),
  outbox: () => import('./outbox.ts'),
  drain: () => import('./drain.ts'),
  people: () => import('./people.ts'),
  replicas: () => import('./replicas.ts'),
  peers: () => import('./peers.ts'),
  growth: () => import('./growth.ts'),
  scale: () => import('./scale.ts'),
  time: () => import('./time.ts'),
  operations: () => import('./operations.ts'),
  agents: () => import('./agents.ts'),
  blocking: () => import('./blocking.ts'),
}

/** The options of all benchmarks. The comment at the top of each benchmark explains its own. */
const options = /^--(?:quick|(?:series|sections|baseline)=.+)$/

const args = process.argv.slice(2)
const unknownOptions = args.filter((word) => word.startsWith('-') && !options.test(word))
if (unknownOptions.length > 0) {
  console.error(`There is no option ${unknownOptions.join(' ')}. Options: --quick, --series=NAME, --sections=NAMES, --baseline=DIR.`)
  console.error(`Benchmarks: ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}
const names = args.filter((word) => !word.startsWith('-'))
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join(', ')}". Benchmarks: ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}
for (const name of names.length > 0 ? names : Object.keys(benchmarks)) await benchmarks[name]?.()
