import { ToolError, Unavailable } from '@mcp-toolkits/core'

export interface ExchangeLimits {
  /** How long nothing may arrive, in milliseconds. */
  readonly silentMs: number
  readonly signal: AbortSignal
}

/** Nothing arrived in time; what was sent may have been too much at once. */
export class Silence extends Unavailable {}

/** What was sent, and how its answer is read. */
export interface Exchange<Result> {
  readonly send: (signal: AbortSignal) => Promise<Response>
  /** Reads the answer; `alive` is called whenever a part of it has come. Nothing is read after it has returned. */
  readonly read: (response: Response, alive: () => void) => Promise<Result>
}

/**
 * One request to Drive whose answer is read as it comes. Ends when nothing arrives for too long, and with the caller's reason when it
 * gives up. Throws `Unavailable` for a connection that breaks, and what `read` throws.
 */
export async function exchange<Result>({ send, read }: Exchange<Result>, { silentMs, signal }: ExchangeLimits): Promise<Result> {
  signal.throwIfAborted()
  const ended = new AbortController()
  const silence = new DOMException('Nothing arrived.', 'TimeoutError')
  const giveUp = () => {
    ended.abort(signal.reason)
  }
  const timer = setTimeout(() => {
    ended.abort(silence)
  }, silentMs)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const response = await send(ended.signal)
    timer.refresh()
    return await read(response, () => {
      timer.refresh()
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ToolError) throw error
    if (ended.signal.reason === silence) throw new Silence(`Google Drive sent nothing for ${Math.round(silentMs / 1000)} seconds.`)
    throw new Unavailable('The connection to Google Drive broke off.')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    ended.abort(new DOMException('The answer was read.', 'AbortError'))
  }
}
