import { setTimeout as delay } from 'node:timers/promises'
import { once } from 'node:events'
import type { CannedAnswer, FaultAction } from './fault-rules.ts'

/** The connection ends without an answer. */
export class ConnectionDropped extends Error {
  override name = 'ConnectionDropped'
}

/** Handles a request as a fault wants it, or just handles it. */
export async function enact(action: FaultAction | undefined, handle: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  switch (action?.kind) {
    case undefined:
      return handle()
    case 'status':
      return canned(action)
    case 'status_after_commit':
      await handle()
      return canned(action)
    case 'drop_before':
      return drop()
    case 'drop_after':
      await handle()
      return drop()
    case 'slow': {
      const response = await handle()
      await delay(action.milliseconds, undefined, { signal }).catch(drop)
      return response
    }
    case 'hang':
      if (!signal.aborted) await once(signal, 'abort')
      return drop()
    case 'redirect':
      return new Response(null, { status: action.status, headers: { location: action.location } })
  }
}

const drop = (): never => {
  throw new ConnectionDropped()
}

function canned({ status, headers, body, retry_after }: CannedAnswer): Response {
  const isText = typeof body === 'string'
  const all = new Headers(headers)
  if (retry_after !== undefined) all.set('retry-after', String(retry_after))
  if (body !== undefined && !isText && !all.has('content-type')) all.set('content-type', 'application/json')
  return new Response(body === undefined ? null : isText ? body : JSON.stringify(body), { status, headers: all })
}
