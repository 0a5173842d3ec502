// Loaded into a server before the server's own modules. At the end, writes down when the event loop was busy for more than a millisecond,
// in processor time, because other processes take turns.
import { writeFileSync } from 'node:fs'

/** @type {{ at: number, ms: number }[]} */
const turns = []
let last = process.threadCpuUsage()

setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  const ms = (user + system) / 1000
  if (ms > 1) turns.push({ at: Date.now(), ms })
  last = process.threadCpuUsage()
}, 1).unref()

process.on('exit', () => {
  writeFileSync(process.env['HEARTBEAT'] ?? '', JSON.stringify(turns))
})
