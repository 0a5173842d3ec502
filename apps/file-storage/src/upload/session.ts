import { ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core'
import type { DriveClient } from '../drive/client.ts'
import { askUpload, chunkUnit, sendChunk, SessionGone, type StoredFile, type UploadState } from '../drive/uploads.ts'
import { Silence } from '../transfer/exchange.ts'
import { patiently, type Patience } from '../transfer/patience.ts'
import type { Source } from './source.ts'
import type { Window } from './window.ts'

/** An upload that goes on over several requests. */
export interface Session {
  readonly drive: DriveClient
  /** Where Drive takes its bytes. */
  readonly address: string
  /** Told how much is stored, and how much there is where that is known. */
  readonly onStored: (bytes: number, total: number | undefined) => void
  readonly patience: Patience
  /** How much is sent at first, where more was too much already; a multiple of `chunkUnit`. */
  readonly firstSize?: number | undefined
}

/** What came of an upload. */
export interface Sent {
  readonly item: StoredFile
  /** Whether the file came as the answer to its last bytes, so that nobody has touched it yet. */
  readonly isNew: boolean
}

/** Most bytes that are sent, and kept for another attempt, at once. */
export const largestChunk = 32 * chunkUnit

/** Where an earlier call has left an upload. Throws `SessionGone` for one that cannot be continued. */
export async function stateOf({ drive, address, patience }: Session): Promise<UploadState> {
  try {
    return await patiently(patience, () => askUpload(drive, { address, total: undefined }, patience))
  } catch (error) {
    if (!(error instanceof ToolError) || error instanceof Unauthenticated || error.toJSON().retryable) throw error
    throw new SessionGone('The upload cannot be continued.')
  }
}

/**
 * Sends what is in the window and everything that the source still has. Drive says after each chunk how much it has stored, and is
 * asked after a connection that broke; what it lacks is sent again. Throws `SessionGone` where it lacks what is not at hand any more.
 */
export async function sendRest(session: Session, source: Source, window: Window): Promise<Sent> {
  const { patience, onStored, firstSize = largestChunk } = session
  let size = firstSize
  // What was too much once is not tried again.
  let most = firstSize === largestChunk ? largestChunk : firstSize * 4
  for (;;) {
    await window.fill(source)
    const total = window.isLast ? window.end : source.length
    const state = await sent(session, { window, size, total })
    if ('item' in state) {
      onStored(window.end, window.end)
      return { item: state.item, isNew: !state.failed }
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
}

type Outcome = UploadState & { readonly failed: boolean; readonly silent: boolean }

/** Sends one chunk, and asks what came of it if there is no answer. */
async function sent({ drive, address, patience }: Session, { window, size, total }: Sending): Promise<Outcome> {
  try {
    const chunk = { start: window.start, bytes: window.first(size), total }
    return { ...(await sendChunk(drive, { address, chunk }, patience)), failed: false, silent: false }
  } catch (error) {
    let cause = error
    for (;;) {
      await patience.after(cause)
      try {
        return { ...(await askUpload(drive, { address, total }, patience)), failed: true, silent: error instanceof Silence }
      } catch (again) {
        cause = again
      }
    }
  }
}
