// Measures what is named, or everything, one after another: `npm run bench -- start`. Run after a build.
const benchmarks: Readonly<Record<string, () => Promise<unknown>>> = {
  baseline: () => import('./baseline.ts'),
  start: () => import('./start.ts'),
  transfers: () => import('./transfers.ts'),
}

const given = process.argv.slice(2)
const unknown = given.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(`There is no benchmark "${unknown.join(', ')}". Benchmarks: ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}
for (const name of given.length > 0 ? given : Object.keys(benchmarks)) await benchmarks[name]?.()
