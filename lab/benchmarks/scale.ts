// Whether the emulators stay fast when a data directory has grown: each page of the workspace and the commonest queries with 1,000 records
// and with 10,000 issues, 100,000 files or 1,000,000 events, in turns, and the memory of the process. `--quick` compares with 5,000 and
// writes nothing. Run after a build.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { brokenLimits } from './scale/limits.ts'
import { runScale } from './scale/run.ts'

const isQuick = process.argv.includes('--quick')
const results = await runScale(isQuick ? { rounds: 3, many: 5_000 } : { rounds: 25 })
for (const { name, many, records, memory_mb: memory, peak_mb: peak, rows } of results.emulators) {
  console.log(`${name} with ${many} ${records}: ${memory} MB, at the peak ${peak ?? '?'} MB`)
  console.table(rows.map(({ few_ms: few, many_ms: much, ...row }) => ({ ...row, few_ms: few.median, many_ms: much.median })))
}
if (!isQuick) {
  writeFileSync(path.join(import.meta.dirname, 'scale.json'), `${JSON.stringify(results, null, 2)}\n`)
  const broken = brokenLimits(results)
  for (const sentence of broken) console.error(sentence)
  if (broken.length > 0) process.exitCode = 1
}
