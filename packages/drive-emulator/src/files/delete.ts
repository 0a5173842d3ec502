import { childrenOf, selectItems, updateItem, type Item } from '../items.ts'
import { viewerId } from '../people.ts'
import { notAllowed } from '../errors.ts'
import type { Session } from '../session.ts'
import { refreshAccess } from '../effective-access.ts'
import { memberDrive, capabilitiesIn } from '../drives.ts'

/** Permanently deletes an item and its descendants; returns it with the keys of the content to remove. */
export function deleteItem(session: Session, id: string): Item & { readonly contents: readonly (string | null)[] } {
  const item = session.find(id)
  if (!capabilitiesIn(session, item).remove) throw notAllowed()
  return { ...item, contents: deleteTree(session, item) }
}

/** Empties the trash of My Drive, or of one shared drive. */
export function emptyTrash(session: Session): readonly (string | null)[] {
  const { store, params } = session
  const driveId = params.text('driveId')
  const of = driveId === undefined ? 'f.driveId is null and f.ownerId = :of' : 'f.driveId = :of'
  const values = { of: driveId === undefined ? viewerId : memberDrive(session, driveId).id }
  const trashed = selectItems(store, `where f.explicitlyTrashed = 1 and ${of}`, values)
  if (trashed.some((item) => !capabilitiesIn(session, item).remove)) throw notAllowed()
  return trashed.flatMap((item) => deleteTree(session, item))
}

function deleteTree({ store }: Session, item: Item): (string | null)[] {
  const contents: (string | null)[] = []
  const queue = [item]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of childrenOf(store, next.id)) {
      if (child.driveId !== null || child.ownerId === viewerId) queue.push(child)
      else removeFromFolder(store, child.id)
    }
    const { id } = next
    store.run('delete from files where id = :id', { id })
    store.run('delete from permissions where fileId = :id', { id })
    store.run('insert or ignore into deleted values (:id)', { id })
    contents.push(next.content)
  }
  return contents
}

/** Another owner's item is only removed from its folder. */
function removeFromFolder(store: Session['store'], id: string): void {
  updateItem(store, id, { parentId: null })
  refreshAccess(store, id)
}
