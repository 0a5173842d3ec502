import { randomBytes } from 'node:crypto'
import { type Item, setGrantedToApp } from '../items.ts'
import type { Session } from '../session.ts'
import { storeFile } from '../uploads/uploads.ts'

/** What a person is to choose from, and for whom. */
export interface PickerRequest {
  /** What the page calls the application. */
  readonly app: string
  /** Whether more than one item can be chosen. */
  readonly multiple: boolean
  /** Whether folders can be chosen. */
  readonly folders: boolean
  /** The types of the files that are offered; all when empty. */
  readonly mimeTypes: readonly string[]
  /** The only items that are offered; all when empty. */
  readonly fileIds: readonly string[]
  /** Where the browser goes in the end, with what was chosen or, refused, without; a last page is shown when absent. */
  readonly onward?: (ids: readonly string[] | undefined) => string
  /** The origin of that address. */
  readonly returning?: string
}

/** How a picker ended: with what was given to the application, refused by the person, or unanswered. */
export type Picked = { readonly outcome: 'granted'; readonly ids: readonly string[] } | { readonly outcome: 'refused' | 'ended' }

/** A picker that waits for its person. */
export interface PickerSession {
  readonly request: PickerRequest
  /** Known to whoever it is handed to, and to nobody else. */
  readonly path: string
  readonly expiresAt: number
  readonly done: Promise<Picked>
  /** Says whether it was still open. */
  readonly end: (picked: Picked) => boolean
  /** The ids of what is ticked so far. */
  chosen: readonly string[]
}

/** The pickers of one emulator. They live in its process alone. */
export interface PickerRegistry {
  readonly open: (request: PickerRequest, lasts?: number) => PickerSession
  /** The picker at a path, unless it has ended. */
  readonly at: (path: string) => PickerSession | undefined
  readonly endAll: () => void
}

/** How long a picker can be answered, in milliseconds: finding things takes people a while. */
const pickerLifetimeMs = 30 * 60_000
/** How many can be open at a time; the oldest end first. */
const maxOpenPickers = 100
const pickerPathPrefix = '/picker/'

/** Whether a listener that serves pickers alone serves a path. */
export const isPickerPath = (path: string): boolean => path.startsWith(pickerPathPrefix)

export function openPickerRegistry(now: () => number): PickerRegistry {
  const pickers = new Map<string, PickerSession>()
  return {
    open(request, lasts = pickerLifetimeMs) {
      const path = pickerPathPrefix + randomBytes(24).toString('base64url')
      const { promise, resolve } = Promise.withResolvers<Picked>()
      const timer = setTimeout(() => {
        end({ outcome: 'ended' })
      }, lasts)
      // A program need not wait for a person who never comes.
      timer.unref()
      const end = (picked: Picked) => {
        clearTimeout(timer)
        resolve(picked)
        return pickers.delete(path)
      }
      const picker: PickerSession = { request, path, expiresAt: now() + lasts, done: promise, end, chosen: [] }
      pickers.set(path, picker)
      const [oldest] = pickers.values()
      if (pickers.size > maxOpenPickers) oldest?.end({ outcome: 'ended' })
      return picker
    },
    at(path) {
      const found = pickers.get(path)
      if (found === undefined || found.expiresAt > now()) return found
      found.end({ outcome: 'ended' })
      return undefined
    },
    endAll() {
      for (const picker of pickers.values()) picker.end({ outcome: 'ended' })
    },
  }
}

/** Stores a file that a person uploads, which nobody has been given yet. */
export async function storeUpload(session: Session, file: File, folder: Item): Promise<Item> {
  const media = new Uint8Array(await file.arrayBuffer())
  // Some browsers send a whole path.
  const name = file.name.split(/[/\\]/).at(-1) ?? ''
  const type = file.type.startsWith('application/vnd.google-apps') || file.type === '' ? 'application/octet-stream' : file.type
  const metadata = JSON.stringify({ name, parents: [folder.id] })
  return storeFile(session, { metadata, media, type }, (id) => {
    setGrantedToApp(session.store, id, false)
  })
}
