// What a transfer costs without a server: streams the content at the first address to the second one with `fetch`, or reads and drops
// it where there is none. Prints milliseconds.
const [from = '', to] = process.argv.slice(2)
const started = performance.now()
const { body } = await fetch(from)
if (!body) throw new Error('There is no content.')
if (to === undefined) await body.pipeTo(new WritableStream())
else {
  const answer = await fetch(to, { method: 'PUT', body, duplex: 'half' })
  await answer.text()
  if (!answer.ok && answer.status !== 308) throw new Error(`HTTP ${answer.status}`)
}
console.log(performance.now() - started)
