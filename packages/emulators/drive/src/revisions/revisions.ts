import type { JsonObject } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import { download } from '../files/download.ts'
import { forbidden, invalidField, notFound } from '../http/errors.ts'
import { applyMask, defineShape, type FieldShape, maskOf, readMask, respondWith, userShape } from '../http/field-masks.ts'
import { flag, memberOf, parseOptionalObject } from '../http/parameters.ts'
import { pageOf } from '../http/page-tokens.ts'
import type { Answers } from '../session/methods.ts'
import { shownUntil } from '../session/index-lag.ts'
import type { Session } from '../session/session.ts'
import { requireRole } from '../sharing/grants.ts'
import { isFolder, isNative, isShortcut, type Item, itemById, updateItem } from '../store/items.ts'
import { changeSettings, formerOf, headOf, type Revision, settingNames, settingsOf } from '../store/revisions.ts'

export const revisionShape: FieldShape = defineShape(
  'kind id mimeType modifiedTime keepForever published publishedLink publishAuto publishedOutsideDomain originalFilename md5Checksum size',
  { lastModifyingUser: userShape, exportLinks: {} },
)
export const revisionListShape: FieldShape = defineShape('kind nextPageToken', { revisions: revisionShape })

const defaultFields = maskOf('kind id mimeType modifiedTime')
const defaultListFields = maskOf('kind nextPageToken', { revisions: defaultFields })
const returned = { shape: revisionShape, absent: defaultFields }

/** Methods for revisions: https://developers.google.com/workspace/drive/api/reference/rest/v3/revisions. */
export const revisionMethods: Answers = {
  'revisions.list': (session, { part }) => listRevisions(session, part('fileId')),
  'revisions.get'(session, { part, headers }) {
    const item = findFileWithRevisions(session, part('fileId'))
    const revision = findRevision(session, item, part('revisionId'), shownUntil(session))
    return session.params.text('alt') === 'media'
      ? download(session, itemAt(session.store, item, revision), headers)
      : respondWith(session, revisionResource(session, item, revision), returned)
  },
  async 'revisions.update'(session, { part, body }) {
    const item = findFileWithRevisions(session, part('fileId'))
    const revision = findRevision(session, item, part('revisionId'))
    await session.change('revisions.update', () => {
      updateRevision(session, item, { id: revision.id, json: body() })
      return item
    })
    return respondWith(session, revisionResource(session, item, revision), returned)
  },
  async 'revisions.delete'(session, { part }) {
    const { content } = await session.change('revisions.delete', () => {
      const item = findFileWithRevisions(session, part('fileId'))
      return { id: item.id, content: deleteRevision(session, item, part('revisionId')) }
    })
    session.contents.remove([content])
  },
}

function listRevisions(session: Session, fileId: string): unknown {
  const { params, store } = session
  const mask = readMask(session, revisionListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 200, largest: 1000 })
  const item = findFileWithRevisions(session, fileId)
  const { shown, next } = pageOf(session, revisionsOf(store, item), { list: `revisions of ${fileId}`, size })
  const revisions = shown.map((revision) => revisionResource(session, item, revision))
  return applyMask({ kind: 'drive#revisionList', ...next, revisions }, mask)
}

/** All versions, oldest first. */
const revisionsOf = (store: Store, item: Item): Revision[] => [...formerOf(store, item.id), headOf(item)]

/** A file whose versions the caller may see; throws otherwise. */
function findFileWithRevisions(session: Session, id: string): Item {
  const item = session.find(id, { inAnyDrive: true })
  requireRole(item, 'writer')
  if (isFolder(item) || isShortcut(item)) throw forbidden('revisionsNotSupported', 'The file does not support revisions.')
  return item
}

/** A version of a file, created no later than `until`; `head` is the current one. */
function findRevision({ store }: Session, item: Item, id: string, until?: string): Revision {
  const found = id === 'head' ? headOf(item) : revisionsOf(store, item).find((revision) => revision.id === id)
  if (found !== undefined && (until === undefined || id === 'head' || found.modifiedTime <= until)) return found
  throw notFound(`Revision not found: ${id}.`, 'revisionId')
}

/** Deletes one version and returns its content. If it was the current one, its predecessor becomes the current one. */
function deleteRevision(session: Session, item: Item, id: string): string | null {
  const { store } = session
  const revision = findRevision(session, item, id)
  if (isNative(item)) throw forbidden('revisionDeletionNotSupported', 'Only revisions of files with binary content can be deleted.')
  const former = formerOf(store, item.id)
  const last = former.at(-1)
  if (last === undefined) throw forbidden('cannotDeleteLastRevision', 'The last remaining revision of a file cannot be deleted.')
  const isHead = revision.id === item.headRevisionId
  const gone = isHead ? last : former.find((each) => each.id === revision.id)
  if (gone !== undefined) store.run('delete from revisions where n = :n', { n: gone.n })
  if (isHead) {
    const { size, md5, content, mimeType, originalFilename } = last
    updateItem(store, item.id, { size, md5, content, mimeType, originalFilename, headRevisionId: last.id, indexedAt: session.at })
  }
  return revision.content
}

function updateRevision({ store }: Session, item: Item, { id, json }: { readonly id: string; readonly json: string }): void {
  const sent = parseOptionalObject(json)
  const wanted = settingNames.flatMap((name) => {
    const value = memberOf(sent, `revision.${name}`, flag)
    if (value === undefined) return []
    if (name === 'keepForever' ? isNative(item) : !isNative(item))
      throw invalidField(`revision.${name}`, `${name} does not apply to this kind of file.`)
    return [[name, value] as const]
  })
  changeSettings(store, { fileId: item.id, id }, Object.fromEntries(wanted))
}

/** A version as the API returns it. */
function revisionResource({ store, user }: Session, item: Item, revision: Revision): JsonObject {
  const { id, mimeType, modifiedTime, lastModifyingId, size, md5, originalFilename } = revision
  const { keepForever, ...published } = settingsOf(store, item.id, id)
  return {
    kind: 'drive#revision',
    id,
    mimeType,
    modifiedTime,
    ...(lastModifyingId !== null && { lastModifyingUser: user(lastModifyingId) }),
    ...(isNative(item) ? published : { keepForever, published: false, originalFilename, md5Checksum: md5, size: String(size ?? 0) }),
  }
}

/** An item with the content of one of its versions, for a download. */
const itemAt = (store: Session['store'], item: Item, { content, size, md5, mimeType }: Revision): Item => ({
  ...(itemById(store, item.id) ?? item),
  content,
  size,
  md5,
  mimeType,
})
