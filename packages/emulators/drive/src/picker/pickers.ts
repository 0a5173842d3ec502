import { randomBytes } from 'node:crypto'
import type { PickerRequest } from '../oauth/authorization.ts'
import { type Item, setGrantedToApp } from '../store/items.ts'
import type { Session } from '../session/session.ts'
import { storeFile } from '../uploads/uploads.ts'

/** End of a picker: items granted, refused by the person, or no answer. */
export type PickerResult = { readonly outcome: 'granted'; readonly ids: readonly string[] } | { readonly outcome: 'refused' | 'ended' }

/** An open picker. */
export interface PickerSession {
  readonly request: PickerRequest
  /** Unguessable path of its page. */
  readonly path: string
  readonly expiresAt: number
  readonly done: Promise<PickerResult>
  /** Ends the picker; false if it had already ended. */
  readonly end: (result: PickerResult) => boolean
  /** Ids selected so far. */
  selection: readonly string[]
}

/** The open pickers of one emulator, in memory. */
export interface PickerRegistry {
  readonly open: (request: PickerRequest, lifetimeMs?: number) => PickerSession
  /** The open picker at a path. */
  readonly at: (path: string) => PickerSession | undefined
  readonly endAll: () => void
}

const pickerLifetimeMs = 30 * 60_000
/** Maximum number of open pickers; the oldest ends first. */
const maxOpenPickers = 100
const pickerPathPrefix = '/picker/'

/** True for picker paths. */
export const isPickerPath = (path: string): boolean => path.startsWith(pickerPathPrefix)

export function openPickerRegistry(now: () => number): PickerRegistry {
  const pickers = new Map<string, PickerSession>()
  return {
    open(request, lifetimeMs = pickerLifetimeMs) {
      const path = pickerPathPrefix + randomBytes(24).toString('base64url')
      const { promise, resolve } = Promise.withResolvers<PickerResult>()
      const timer = setTimeout(() => {
        end({ outcome: 'ended' })
      }, lifetimeMs)
      // The process may exit while a picker is open.
      timer.unref()
      const end = (result: PickerResult) => {
        clearTimeout(timer)
        resolve(result)
        return pickers.delete(path)
      }
      const picker: PickerSession = { request, path, expiresAt: now() + lifetimeMs, done: promise, end, selection: [] }
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

/** Stores a file uploaded in the picker, not yet granted to the app. */
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
