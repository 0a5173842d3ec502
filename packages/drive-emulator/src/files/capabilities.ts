import { isFolder, isShortcut, type Item } from '../items.ts'
import { rank } from '../permissions/grants.ts'
import { isRoot } from '../session.ts'

/** What the account may do with an item, beyond what is asked of every change. */
export interface Rights {
  readonly edit: boolean
  readonly comment: boolean
  readonly share: boolean
  readonly trash: boolean
  readonly remove: boolean
  readonly moveWithin: boolean
  readonly moveOut: boolean
  readonly download: boolean
}

/**
 * The account's rights to an item: https://developers.google.com/workspace/drive/api/guides/ref-roles.
 * `foldersNeedOrganizer` is what its shared drive says about sharing folders.
 */
export function rightsTo(item: Item, foldersNeedOrganizer: boolean): Rights {
  const atLeast = (role: string) => rank(item.role) >= rank(role)
  const inDrive = item.driveId !== null
  const root = isRoot(item)
  const sharer =
    isFolder(item) && inDrive ? (foldersNeedOrganizer ? 'organizer' : 'fileOrganizer') : item.writersCanShare === 1 ? 'writer' : 'owner'
  return {
    edit: atLeast('writer'),
    comment: atLeast('commenter'),
    share: atLeast(item.id === item.driveId ? 'organizer' : sharer) && !(root && !inDrive),
    trash: !root && atLeast(inDrive ? 'fileOrganizer' : 'owner'),
    remove: !root && atLeast(inDrive ? 'organizer' : 'owner'),
    moveWithin: !root && atLeast(inDrive ? 'fileOrganizer' : 'writer'),
    moveOut: !root && atLeast(inDrive ? 'organizer' : 'owner') && !isFolder(item),
    download: !isFolder(item) && !isShortcut(item) && (item.copyRequiresWriter === 0 || atLeast('writer')),
  }
}

/** The same, as Drive tells it. */
export function capabilitiesOf(item: Item, rights: Rights): object {
  const { edit, comment, share, trash, remove, moveWithin, moveOut, download } = rights
  const folder = isFolder(item)
  const root = isRoot(item)
  const inDrive = item.driveId !== null
  return {
    canAddChildren: folder && edit,
    canChangeCopyRequiresWriterPermission: edit && !folder,
    canComment: comment,
    canCopy: !folder && download,
    canDelete: remove,
    canDownload: download,
    canEdit: edit,
    canListChildren: folder,
    canModifyContent: edit && !folder,
    canMoveChildrenWithinDrive: folder && edit,
    canMoveItemOutOfDrive: moveOut,
    canMoveItemWithinDrive: moveWithin,
    canReadRevisions: edit && !folder,
    canRemoveChildren: folder && edit,
    canRename: edit && !root,
    canShare: share,
    canTrash: trash,
    canUntrash: trash,
    ...(inDrive && { canReadDrive: item.reach !== 'link', canDeleteChildren: folder && remove, canTrashChildren: folder && trash }),
  }
}
