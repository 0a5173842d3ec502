import { setGranted } from '../granted.ts'
import type { Item } from '../items.ts'
import type { Session } from '../session.ts'
import { storeFile } from '../uploads/uploads.ts'

/** Stores a file that a person uploads, which nobody has been given yet. */
export async function storeUpload(session: Session, file: File, folder: Item): Promise<Item> {
  const media = new Uint8Array(await file.arrayBuffer())
  // Some browsers send a whole path.
  const name = file.name.split(/[/\\]/).at(-1) ?? ''
  const type = file.type.startsWith('application/vnd.google-apps') || file.type === '' ? 'application/octet-stream' : file.type
  const metadata = JSON.stringify({ name, parents: [folder.id] })
  return storeFile(session, { metadata, media, type }, (id) => {
    setGranted(session.store, id, false)
  })
}
