// Reads one file, and prints the figures of the process that reads it.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readText } from '../src/index.ts'

const [file = ''] = process.argv.slice(2)
const bytes = readFileSync(file)
const before = process.memoryUsage().rss
let peak = before
const sampling = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 10)
// The first reading also loads the module of the thread.
await new Promise((resolve) => setTimeout(resolve, 100))
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const start = performance.now()
const reading = await readText(bytes, { name: file, mediaType: '' }, new AbortController().signal)
const ms = performance.now() - start
delay.disable()
clearInterval(sampling)
peak = Math.max(peak, process.memoryUsage().rss)
const outcome = 'refusal' in reading ? reading.refusal : reading.text.length
process.stdout.write([outcome, ms, delay.max / 1e6 - 5, (peak - before) / 1e6].join(' '))
