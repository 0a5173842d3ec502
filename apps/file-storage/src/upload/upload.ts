import { Unavailable } from '@mcp-toolkits/core'
import type { KeptUploads } from './kept-uploads.ts'
import { Making, type MakingOptions, type Uploaded, type WantedFile } from './making.ts'

/** What uploads work with. */
export interface Uploading extends Pick<MakingOptions, 'drive' | 'fetchSource' | 'newId'> {
  readonly keptUploads: KeptUploads
}

export type UploadCall = Pick<MakingOptions, 'isLookedUp' | 'onBytes' | 'onStored' | 'patience'>

/** How often a file turns out to be thrown away under the id that it was to have. */
const mostThrownAway = 2

/** Makes one file with the content behind a URL, however often anything is sent. Throws typed errors. */
export async function upload(file: WantedFile, { keptUploads, ...uploading }: Uploading, call: UploadCall): Promise<Uploaded> {
  const identical = ['UploadFile', file]
  for (let round = 1; round <= mostThrownAway; round += 1) {
    const left = await keptUploads.take(identical)
    const learnOwner = () => keptUploads.learnOwner()
    const made = await leavingRest(new Making(file, { ...uploading, ...call, learnOwner }, left), identical, { keptUploads, ...call })
    // The file was made by an earlier attempt and thrown away since, so its id is of no more use.
    if (made !== 'thrown away') return made
  }
  throw new Unavailable('Google Drive says that the file is there already and shows none, several times. Make the call again later.')
}

/** What has no known outcome is left to the next call that is the same; on cancellation at once, so that one may come before the end. */
async function leavingRest(
  making: Making,
  identical: unknown,
  { keptUploads, patience: { signal } }: UploadCall & Pick<Uploading, 'keptUploads'>,
): Promise<Uploaded | 'thrown away'> {
  let keeping: Promise<void> | undefined
  const keep = () => {
    if (making.left) keeping ??= keptUploads.keep(identical, making.left)
  }
  signal.addEventListener('abort', keep, { once: true })
  try {
    return await making.run()
  } catch (error) {
    if (!signal.aborted) keep()
    await keeping
    throw error
  } finally {
    signal.removeEventListener('abort', keep)
  }
}
