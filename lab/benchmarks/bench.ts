// The options and results of every benchmark; the results are stored next to the benchmark.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

export interface BenchOptions {
  /** True to do just enough to show that the benchmark works, and write nothing. */
  readonly isQuick: boolean
  /** The parts to run; empty for all. */
  readonly sections: readonly string[]
  /** A file with other cases. */
  readonly cases: string | undefined
}

/** Writes results as data, and as tables for people. */
export function publish(directory: string, results: object, tables: string): void {
  writeFileSync(path.join(directory, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(path.join(directory, 'results.md'), page(path.basename(directory), tables))
}

/** A benchmark's page. */
export const page = (name: string, tables: string): string =>
  `# Results of \`${name}\`\n\nWritten by \`npm run bench -- ${name}\`. [What they mean](../../../docs/benchmarks.md).\n\n${tables}\n`

/** Prints the problems, and makes the run fail if there are any. */
export function failFor(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
