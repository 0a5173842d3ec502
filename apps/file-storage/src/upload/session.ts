import { ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from '../drive/client.ts'
import type { DriveItem } from '../drive/items.ts'
import { askUpload, chunkUnit, sendChunk, SessionGone, type UploadState } from '../drive/uploads.ts'
import { Silence } from '../transfer/exchange.ts'
import { Patience, patiently } from '../transfer/patience.ts'
import type { Source } from './source.ts'
import type { Window } from './window.ts'

/** An upload that goes on over several requests. */
export interface Session {
  readonly drive: DriveClient
  /** Where Drive takes its bytes. */
  readonly address: string
  /** Told how much is stored, and how much there is where that is known. */
  readonly onStored: (bytes: number, total: number | undefined) => void
  readonly signal: AbortSignal
}

/** Most bytes that are sent, and kept for another attempt, at once. */
export const largestChunk = 32 * chunkUnit

/** Where an earlier call has left an upload. Throws `SessionGone` for one that cannot be continued. */
export async function stateOf({ drive, address, signal }: Session): Promise<UploadState> {
  try {
    return await patiently(signal, () => askUpload(drive, { address, total: undefined }, signal))
  } catch (error) {
    if (!(error instanceof ToolError) || error instanceof Unauthenticated || error.toJSON().retryable) throw error
    throw new SessionGone('The upload cannot be continued.')
  }
}

/**
 * Sends what is in the window and everything that the source still has. Drive says after each chunk how much it has stored, and is
 * asked after a connection that broke; what it lacks is sent again. Throws `SessionGone` where it lacks what is not at hand any more.
 */
export async function sendRest(session: Session, source: Source, window: Window): Promise<DriveItem> {
  const { signal, onStored } = session
  const patience = new Patience(signal)
  let size = largestChunk
  // What was too much once is not tried again.
  let most = largestChunk
  for (;;) {
    await window.fill(source)
    patience.waited()
    const total = window.isLast ? window.end : source.length
    const state = await sent(session, { window, size, total, patience })
    if ('item' in state) {
      onStored(window.end, window.end)
      return state.item
    }
    const { stored, silent } = state
    if (silent) most = Math.max(chunkUnit, size / 2)
    size = silent ? Math.max(chunkUnit, size / 8) : Math.min(most, size * 2)
    if (stored < window.start || stored > window.end) throw new SessionGone('Google Drive has lost a part of the upload.')
    if (stored > window.start) {
      patience.progressed()
      window.moveTo(stored)
      onStored(stored, total)
    } else if (!state.failed) {
      await patience.after(new Unavailable('Google Drive stored nothing of what was sent to it.'))
    }
  }
}

interface Sending {
  readonly window: Window
  readonly size: number
  readonly total: number | undefined
  readonly patience: Patience
}

type Sent = { readonly item: DriveItem } | { readonly stored: number; readonly failed: boolean; readonly silent: boolean }

/** Sends one chunk, and asks what came of it if there is no answer. */
async function sent({ drive, address, signal }: Session, { window, size, total, patience }: Sending): Promise<Sent> {
  try {
    const chunk = { start: window.start, bytes: window.first(size), total }
    return { ...(await sendChunk(drive, { address, chunk }, signal)), failed: false, silent: false }
  } catch (error) {
    let cause = error
    for (;;) {
      await patience.after(cause)
      try {
        return { ...(await askUpload(drive, { address, total }, signal)), failed: true, silent: error instanceof Silence }
      } catch (again) {
        cause = again
      }
    }
  }
}
