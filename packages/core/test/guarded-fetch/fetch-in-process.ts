import { text } from 'node:stream/consumers'
import { ToolError } from '../../src/errors/errors.ts'
import { guardedFetch } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'

const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)

const urls = process.argv.slice(2)
print({
  globalFetch: await globalThis.fetch(urls[0] ?? '').then(
    () => 'answered',
    () => 'failed',
  ),
})
const fetch = guardedFetch({ allowPrivate: ['localhost'] })
for (const url of urls) {
  try {
    print({ text: await text((await fetch(url)).body) })
  } catch (error) {
    print(error instanceof ToolError ? error : String(error))
  }
}
