import { insertRow } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, text } from '@mcp-toolkits/sqlite'
import { isDriveId } from './ids.ts'
import { type DriveStore, itemTable, personalColumns, updateView, viewerValues } from './viewers.ts'

/** Text as Drive compares names: ignoring case. */
export const foldCase = (text: string): string => text.toLowerCase()

/** A text's words, as matched by a search. */
export const splitWords = (text: string): string[] => foldCase(text).match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []

/** Words in stored form: each between spaces, so that beginnings and phrases can be found. */
const toWordIndex = (text: string): string => ` ${splitWords(text).join(' ')} `

/** A sort key that orders numbers in names by value. */
export const toNaturalSortKey = (name: string): string => foldCase(name).replace(/\d+/g, (number) => number.padStart(12, '0'))

const nullableText = nullable(text)

const itemShape = {
  n: integer,
  id: text,
  driveId: nullableText,
  parentId: nullableText,
  ownerId: nullableText,
  name: text,
  mimeType: text,
  description: nullableText,
  starred: integer,
  trashed: integer,
  explicitlyTrashed: integer,
  trashedTime: nullableText,
  createdTime: text,
  modifiedTime: text,
  viewedByMeTime: nullableText,
  modifiedByMeTime: nullableText,
  sharedWithMeTime: nullableText,
  lastModifyingId: nullableText,
  sharingId: nullableText,
  indexedAt: text,
  version: integer,
  size: nullable(integer),
  md5: nullableText,
  headRevisionId: nullableText,
  content: nullableText,
  originalFilename: nullableText,
  targetId: nullableText,
  targetMimeType: nullableText,
  resourceKey: nullableText,
  properties: nullableText,
  appProperties: nullableText,
  writersCanShare: integer,
  copyRequiresWriter: integer,
  abusive: integer,
  granted: integer,
  role: nullableText,
  reach: nullableText,
  inDomain: integer,
  shared: integer,
} as const

/** A stored file, folder, shortcut or root of a drive. */
export type Item = RowOf<typeof itemShape>

const columns = Object.keys(itemShape)
  .map((name) => `f.${name}`)
  .join(', ')

/** The required columns of a new item, and the optional ones. */
export type NewItem = Pick<Item, 'id' | 'name' | 'mimeType' | 'createdTime'> & ItemChanges

/** Columns to set; `text` is the searchable content. */
export type ItemChanges = Partial<Omit<Item, 'n' | 'id'>> & { readonly text?: string }

export const folderType = 'application/vnd.google-apps.folder'
export const shortcutType = 'application/vnd.google-apps.shortcut'

export const isFolder = ({ mimeType }: Pick<Item, 'mimeType'>): boolean => mimeType === folderType
export const isShortcut = ({ mimeType }: Pick<Item, 'mimeType'>): boolean => mimeType === shortcutType

/** True for Google's own types, which cannot be downloaded. */
export const isNative = ({ mimeType }: Pick<Item, 'mimeType'>): boolean => mimeType.startsWith('application/vnd.google-apps.')

/** The items selected by a clause; `f` is the table. */
export const selectItems = (store: DriveStore, clause: string, values: Record<string, string | number> = {}): Item[] =>
  store.rows(itemShape, `select ${columns} from ${itemTable(store)} f ${clause}`, { ...values, ...viewerValues(store) })

export const itemById = (store: DriveStore, id: string): Item | undefined => selectItems(store, 'where f.id = :id', { id })[0]

export const childrenOf = (store: DriveStore, id: string): Item[] => selectItems(store, 'where f.parentId = :id', { id })

/** The root of My Drive, without a visibility check. */
export const rootOf = (store: DriveStore): Item | undefined => itemById(store, store.viewer.rootId)

/** True for the root of a My Drive or of a shared drive. */
export const isRoot = (item: Item): boolean => item.id === item.driveId || (item.driveId === null && isDriveId(item.id))

/** An item and the folders above it, nearest first. */
export function withFoldersAbove(store: DriveStore, item: Item): Item[] {
  const found = [item]
  const parentOf = ({ parentId }: Item) => (parentId === null ? undefined : itemById(store, parentId))
  for (let next = parentOf(item); next; next = parentOf(next)) found.push(next)
  return found
}

/** A change's columns, including derived ones for searches and sort orders. */
function toColumns({ text: content, ...changes }: ItemChanges): Record<string, string | number | null> {
  const { name } = changes
  const derived = name === undefined ? {} : { nameFold: foldCase(name), nameNatural: toNaturalSortKey(name), nameWords: toWordIndex(name) }
  const columnValues = Object.entries({ ...changes, ...derived, ...(content !== undefined && { textWords: toWordIndex(content) }) })
  return Object.fromEntries(columnValues)
}

export function insertItem(store: DriveStore, { createdTime, ...item }: NewItem): void {
  const { row, view } = splitColumns(store, toColumns({ createdTime, modifiedTime: createdTime, indexedAt: createdTime, ...item }))
  insertRow(store, 'files', row)
  updateView(store, item.id, view)
}

type Row = Record<string, string | number | null>

const isPersonal = ([name]: [string, unknown]) => personalColumns.some((each) => each === name)

/** Columns of the items table, and the viewer's personal ones unless the viewer is the first person. */
function splitColumns({ viewer }: DriveStore, row: Row): { readonly row: Row; readonly view: Row } {
  if (viewer.isFirst) return { row, view: {} }
  const all = Object.entries(row)
  return { row: Object.fromEntries(all.filter((entry) => !isPersonal(entry))), view: Object.fromEntries(all.filter(isPersonal)) }
}

/** Adds the viewer's My Drive. */
export function insertRoot(store: DriveStore, times: Pick<NewItem, 'createdTime' | 'viewedByMeTime'>): void {
  const { id: ownerId, rootId: id } = store.viewer
  insertItem(store, { id, name: 'My Drive', mimeType: folderType, ownerId, ...times })
}

/** Updates columns and increments the version. */
export function updateItem(store: DriveStore, id: string, changes: ItemChanges): void {
  setColumns(store, id, toColumns(changes), ['version = version + 1'])
}

function setColumns(store: DriveStore, id: string, columns: Row, more: readonly string[] = []): void {
  const { row, view } = splitColumns(store, columns)
  updateView(store, id, view)
  const sets = [...Object.keys(row).map((name) => `${name} = :${name}`), ...more]
  if (sets.length > 0) store.run(`update files set ${sets.join(', ')} where id = :id`, { ...row, id })
}

/** Access computed from permissions and parents. */
export type EffectiveAccess = Pick<Item, 'role' | 'reach' | 'inDomain' | 'shared' | 'trashed'>

/** Stores access, without counting it as a change to the item. */
export function updateAccess(store: DriveStore, id: string, access: EffectiveAccess): void {
  setColumns(store, id, { ...access })
}

/** Shares items with the app. Sharing a folder does not share its contents. Call inside a write. */
export function shareItemsWithApp(store: DriveStore, ids: readonly string[]): void {
  for (const id of ids) setGrantedToApp(store, id, true)
}

export function setGrantedToApp(store: DriveStore, id: string, granted: boolean): void {
  setColumns(store, id, { granted: Number(granted) })
}
