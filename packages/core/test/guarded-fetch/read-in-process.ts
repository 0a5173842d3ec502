import { createHash } from 'node:crypto'
import { guardedFetch } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'

const [host = '', ...urls] = process.argv.slice(2)
const fetch = guardedFetch({ allowPrivate: [host], lookup: () => Promise.resolve([{ address: '127.0.0.1' }]) })

// Prints the outcome for each URL, and the process's peak memory until then.
for (const url of urls) {
  const md5 = createHash('md5')
  let bytes = 0
  let peak = 0
  for await (const chunk of (await fetch(url)).body) {
    md5.update(chunk)
    bytes += chunk.byteLength
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  process.stdout.write(`${JSON.stringify({ bytes, md5: md5.digest('hex'), peak })}\n`)
}
