// Loaded into a server before its own modules. Tells its parent, on request, the longest time for which the event loop was blocked: in
// total, and without the time in which other processes had the processor. A message asks for it, or a signal, which is answered on stderr.
let last = performance.now()
let lastProcessor = process.threadCpuUsage()
let longest = { elapsed: 0, processor: 0 }

setInterval(() => {
  const now = performance.now()
  const { user, system } = process.threadCpuUsage(lastProcessor)
  longest = { elapsed: Math.max(longest.elapsed, now - last), processor: Math.max(longest.processor, (user + system) / 1000) }
  last = now
  lastProcessor = process.threadCpuUsage()
}, 1).unref()

/** @param {(block: typeof longest) => unknown} tell */
const reportTo = (tell) => () => {
  // After a turn, so that a block that has just ended counts.
  setTimeout(() => {
    tell(longest)
    longest = { elapsed: 0, processor: 0 }
  }, 5)
}

process.on(
  'message',
  reportTo((block) => process.send?.(block)),
)
process.on(
  'SIGUSR2',
  reportTo((block) => console.error(`heartbeat ${JSON.stringify(block)}`)),
)
process.channel?.unref()
