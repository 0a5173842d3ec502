import { insertRow, isObject, parseJson } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { isNative, type Item } from './items.ts'

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

/** Former versions, oldest first. */
export const formerOf = (store: Store, fileId: string): RowOf<typeof shape>[] =>
  store.rows(shape, 'select * from revisions where fileId = :fileId order by n', { fileId })

/** A file's current version. Google's own documents have only this one, because their content does not change here. */
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

/**
 * Versions without keepForever are purged 30 days after newer content arrives, or when there are 100 newer versions:
 * https://developers.google.com/workspace/drive/api/guides/change-overview.
 */
const lifetimeMs = 30 * 86_400_000
const maxRevisions = 100

/** Saves an item's previous content. Returns the content of purged versions. */
export function saveRevision(store: Store, item: Item, now: number): (string | null)[] {
  if (item.headRevisionId === null) return [item.content]
  insertRow(store, 'revisions', { ...headOf(item), supersededAt: new Date(now).toISOString() })
  const oldest = new Date(now - lifetimeMs).toISOString()
  const former = formerOf(store, item.id)
  // Earlier versions of this emulator stored no `supersededAt`.
  const old = 'select n from revisions where fileId = :fileId and coalesce(supersededAt, modifiedTime) < :oldest'
  const expired = new Set(store.rows({ n: integer }, old, { fileId: item.id, oldest }).map(({ n }) => n))
  const purged = former.filter(
    ({ id, n }, index) => (expired.has(n) || index < former.length + 1 - maxRevisions) && !settingsOf(store, item.id, id).keepForever,
  )
  for (const { n } of purged) store.run('delete from revisions where n = :n', { n })
  return purged.map(({ content }) => content)
}

export function changeSettings(store: Store, { fileId, id }: Pick<Revision, 'fileId' | 'id'>, changes: Partial<RevisionSettings>): void {
  store.run(
    `insert into revision_settings (fileId, id, settings) values (:fileId, :id, :settings)
     on conflict (fileId, id) do update set settings = excluded.settings`,
    { fileId, id, settings: JSON.stringify({ ...settingsOf(store, fileId, id), ...changes }) },
  )
}

export const settingNames = ['keepForever', 'published', 'publishAuto', 'publishedOutsideDomain'] as const

type RevisionSettings = Readonly<Record<(typeof settingNames)[number], boolean>>

export function settingsOf(store: Store, fileId: string, id: string): RevisionSettings {
  const sql = 'select settings from revision_settings where fileId = :fileId and id = :id'
  const stored = parseJson(store.rows({ settings: text }, sql, { fileId, id })[0]?.settings ?? '{}')
  const isOn = (name: keyof RevisionSettings) => isObject(stored) && stored[name] === true
  return {
    keepForever: isOn('keepForever'),
    published: isOn('published'),
    publishAuto: isOn('publishAuto'),
    publishedOutsideDomain: isOn('publishedOutsideDomain'),
  }
}
