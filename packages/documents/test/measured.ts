// Reads one file, and prints the figures of the process that reads it.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { readText } from '../src/index.ts'

const [file = ''] = process.argv.slice(2)
const bytes = readFileSync(file)
const before = process.memoryUsage().rss
let peak = before
let longest = 0
// Time of the processor and not of the clock: another process may keep this one waiting.
let used = process.threadCpuUsage()
const sample = () => {
  peak = Math.max(peak, process.memoryUsage().rss)
  const { user, system } = process.threadCpuUsage(used)
  longest = Math.max(longest, (user + system) / 1000)
  used = process.threadCpuUsage()
}
const sampling = setInterval(sample, 5)
await setTimeout(100)
longest = 0
const start = performance.now()
const reading = await readText(bytes, { name: file, mediaType: '' }, new AbortController().signal)
const ms = performance.now() - start
sample()
clearInterval(sampling)
const outcome = 'refusal' in reading ? reading.refusal : reading.text.length
process.stdout.write([outcome, ms, longest, (peak - before) / 1e6].join(' '))
