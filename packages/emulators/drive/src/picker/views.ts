import { text } from '@mcp-toolkits/sqlite'
import { folderType, type Item, itemById, selectItems, splitWords } from '../store/items.ts'
import { roleRank } from '../sharing/grants.ts'
import { type DriveStore, itemTable, viewerValues } from '../store/viewers.ts'
import type { PickerRequest } from '../oauth/authorization.ts'

/** A view of the picker: a folder, items shared with me, or search results. */
export type PickerView =
  | { readonly kind: 'folder'; readonly id: string; readonly from: number }
  | { readonly kind: 'shared'; readonly from: number }
  | { readonly kind: 'found'; readonly text: string; readonly from: number }

/** A link to a view. */
export interface Breadcrumb {
  readonly label: string
  /** Query string of its URL. */
  readonly address: string
}

/** The content of a view. */
export interface PickerViewContent {
  readonly title: string
  /** Its ancestors, root first. */
  readonly trail: readonly Breadcrumb[]
  readonly items: readonly Item[]
  readonly next: Breadcrumb | undefined
  readonly previous: Breadcrumb | undefined
  /** The folder for uploads. */
  readonly folder: Item | undefined
}

const pageSize = 100

export const folderAddress = (id: string): string => new URLSearchParams({ in: id }).toString()
export const searchAddress = (words: string): string => new URLSearchParams(words.trim() === '' ? {} : { find: words }).toString()
export const sharedAddress = 'shared=1'

/** Parses the query string of a view's URL; My Drive by default. */
export function parsePickerView(address: URLSearchParams, { viewer }: Pick<PickerRequest, 'viewer'>): PickerView {
  const skipped = address.get('from') ?? ''
  const from = /^\d{1,9}$/.test(skipped) ? Number(skipped) : 0
  const find = address.get('find')
  if (find !== null) return { kind: 'found', text: find, from }
  return address.has('shared') ? { kind: 'shared', from } : { kind: 'folder', id: address.get('in') ?? viewer.rootId, from }
}

export function pickerViewUrl(view: PickerView, from = view.from): string {
  const query = view.kind === 'shared' ? sharedAddress : view.kind === 'found' ? searchAddress(view.text) : folderAddress(view.id)
  return from === 0 ? query : `${query}&from=${from}`
}

/** Top-level views: My Drive, shared with me, and the account's shared drives. */
export function rootsFor(store: DriveStore): Breadcrumb[] {
  const sql = `select d.id, d.name from drives d join ${itemTable(store)} f on f.id = d.id where f.role is not null and d.hidden = 0 order by d.n`
  const drives = store.rows({ id: text, name: text }, sql, viewerValues(store))
  return [
    { label: 'My Drive', address: folderAddress(store.viewer.rootId) },
    { label: 'Shared with me', address: sharedAddress },
    ...drives.map(({ id, name }) => ({ label: name, address: folderAddress(id) })),
  ]
}

/** Loads a view; a missing folder becomes the root of My Drive. */
export function loadPickerView(store: DriveStore, requested: PickerView, request: PickerRequest): PickerViewContent {
  const { rootId } = store.viewer
  const view = requested.kind === 'folder' && !isOpen(itemById(store, requested.id)) ? { ...requested, id: rootId } : requested
  const found = itemsInView(store, view, request)
  const folder = itemById(store, view.kind === 'folder' ? view.id : rootId)
  return {
    ...withHeading(store, view),
    items: found.slice(0, pageSize),
    next: found.length > pageSize ? { label: `Next ${pageSize}`, address: pickerViewUrl(view, view.from + pageSize) } : undefined,
    previous:
      view.from > 0 ? { label: `Previous ${pageSize}`, address: pickerViewUrl(view, Math.max(0, view.from - pageSize)) } : undefined,
    folder: roleRank(folder?.role ?? null) >= roleRank('writer') ? folder : undefined,
  }
}

const isOpen = (item: Item | undefined) => item?.mimeType === folderType && item.role !== null && item.trashed === 0

/** The view's items, up to one more than fits on a page. */
function itemsInView(store: DriveStore, view: PickerView, { mimeTypes, fileIds }: PickerRequest): Item[] {
  const values: Record<string, string | number> = { limit: pageSize + 1, from: view.from }
  const bind = (value: string) => {
    const name = `v${Object.keys(values).length}`
    values[name] = value
    return `:${name}`
  }
  const types = mimeTypes.length === 0 ? 'true' : `f.mimeType in (${[folderType, ...mimeTypes].map(bind).join(', ')})`
  const where = fileIds.length > 0 ? `f.id in (${fileIds.map(bind).join(', ')})` : viewCondition(view, bind)
  const clause = `where ${where} and ${types} and f.trashed = 0 and f.role is not null and f.reach <> 'root'`
  return selectItems(store, `${clause} order by f.mimeType = '${folderType}' desc, f.nameNatural, f.n limit :limit offset :from`, values)
}

function viewCondition(view: PickerView, bind: (value: string) => string): string {
  if (view.kind === 'folder') return `f.parentId = ${bind(view.id)}`
  if (view.kind === 'shared') return 'f.sharedWithMeTime is not null and f.driveId is null'
  const words = splitWords(view.text)
  const named = words.map((word) => `instr(f.nameWords, ${bind(` ${word}`)}) > 0`)
  return words.length === 0 ? 'false' : `${named.join(' and ')} and f.reach in ('user', 'drive')`
}

function withHeading(store: DriveStore, view: PickerView): Pick<PickerViewContent, 'title' | 'trail'> {
  if (view.kind === 'found') return { title: `Results for “${view.text}”`, trail: [] }
  if (view.kind === 'shared') return { title: 'Shared with me', trail: [] }
  const line: Item[] = []
  let item = itemById(store, view.id)
  while (item !== undefined && item.role !== null) {
    line.unshift(item)
    item = item.parentId === null ? undefined : itemById(store, item.parentId)
  }
  const [root] = line
  const outside = root?.reach === 'root' ? [] : [{ label: 'Shared with me', address: sharedAddress }]
  const above = line.slice(0, -1).map(({ id, name }) => ({ label: name, address: folderAddress(id) }))
  return { title: line.at(-1)?.name ?? '', trail: [...outside, ...above] }
}
