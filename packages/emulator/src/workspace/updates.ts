import type { StoreClock } from '@mcp-toolkits/store'

/** How often the data is looked at, in milliseconds. */
const lookMs = 250
/** After how many looks without a change a comment is sent, so that proxies and browsers keep the connection. */
const looksPerComment = 60

export interface UpdateOptions {
  readonly revision: () => string
  readonly clock: StoreClock
  /** Aborted when the page has gone or the emulator closes. */
  readonly signal: AbortSignal
}

/** A stream of server-sent events with the revision of the data, now and after each change, by whatever process. */
export function updateStream(options: UpdateOptions): Response {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(ReadableStream.from(updates(options)).pipeThrough(new TextEncoderStream()), { headers })
}

async function* updates({ revision, clock, signal }: UpdateOptions): AsyncGenerator<string> {
  let last: string | undefined
  for (let looks = 1; !signal.aborted; looks += 1) {
    const current = revision()
    if (current !== last) yield `data: ${current}\n\n`
    else if (looks % looksPerComment === 0) yield ':\n\n'
    last = current
    await clock.sleep(lookMs)
  }
}
