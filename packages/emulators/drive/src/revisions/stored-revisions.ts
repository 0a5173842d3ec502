import { isObject, parseJson } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { isNative, type Item } from '../store/items.ts'

const shape = {
  n: integer,
  id: text,
  fileId: text,
  mimeType: text,
  modifiedTime: text,
  lastModifyingId: nullable(text),
  size: nullable(integer),
  md5: nullable(text),
  content: nullable(text),
  originalFilename: nullable(text),
}

/** A version of a file's content. */
export type Revision = Omit<RowOf<typeof shape>, 'n'>

const columns = 'fileId, id, mimeType, modifiedTime, lastModifyingId, size, md5, content, originalFilename'

/** Former versions, the oldest first. */
export const formerOf = (store: Store, fileId: string): RowOf<typeof shape>[] =>
  store.rows(shape, `select n, ${columns} from revisions where fileId = :fileId order by n`, { fileId })

/** Google's own documents have one version here, because their content does not change. */
export const headOf = (item: Item): Revision => ({
  id: item.headRevisionId ?? '1',
  fileId: item.id,
  mimeType: item.mimeType,
  modifiedTime: item.modifiedTime,
  lastModifyingId: item.lastModifyingId,
  size: isNative(item) ? null : item.size,
  md5: item.md5,
  content: item.content,
  originalFilename: isNative(item) ? null : (item.originalFilename ?? item.name),
})

/** Versions without keepForever are purged after 30 days or 100 further versions: https://developers.google.com/workspace/drive/api/guides/change-overview. */
const lifetimeMs = 30 * 86_400_000
const maxRevisions = 100

/** Saves the content that an item had. Returns the content of the versions that are purged. */
export function saveRevision(store: Store, item: Item, now: number): (string | null)[] {
  const revision = headOf(item)
  const values = Object.fromEntries(Object.entries(revision))
  if (item.headRevisionId === null) return [item.content]
  store.run(
    `insert into revisions (${columns})
     values (:fileId, :id, :mimeType, :modifiedTime, :lastModifyingId, :size, :md5, :content, :originalFilename)`,
    values,
  )
  const oldest = new Date(now - lifetimeMs).toISOString()
  const former = formerOf(store, item.id)
  const purged = former.filter(
    ({ id, modifiedTime }, index) =>
      (modifiedTime < oldest || index < former.length + 1 - maxRevisions) && !settingsOf(store, item.id, id).keepForever,
  )
  for (const { n } of purged) store.run('delete from revisions where n = :n', { n })
  return purged.map(({ content }) => content)
}

/** Settings of a version. */
interface RevisionSettings {
  readonly keepForever: boolean
  readonly published: boolean
  readonly publishAuto: boolean
  readonly publishedOutsideDomain: boolean
}

export const settingNames = ['keepForever', 'published', 'publishAuto', 'publishedOutsideDomain'] as const

export function settingsOf(store: Store, fileId: string, id: string): RevisionSettings {
  const row = store.rows({ settings: text }, 'select settings from revision_settings where fileId = :fileId and id = :id', {
    fileId,
    id,
  })[0]
  const stored = parseJson(row?.settings ?? '{}')
  const isOn = (name: string) => isObject(stored) && stored[name] === true
  return {
    keepForever: isOn('keepForever'),
    published: isOn('published'),
    publishAuto: isOn('publishAuto'),
    publishedOutsideDomain: isOn('publishedOutsideDomain'),
  }
}
