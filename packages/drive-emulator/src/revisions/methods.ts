import { defineMethod } from '../defined-methods.ts'
import type { DriveEndpoint } from '../endpoints.ts'
import { applyMask, type Mask } from '../field-masks.ts'
import { download } from '../files/download.ts'
import { createPageToken, readPageToken } from '../page-tokens.ts'
import { readScopes, writeScopes } from '../oauth/tokens.ts'
import type { Session } from '../session.ts'
import { maskOf, readMask, revisionListShape, revisionShape, respondWith } from '../whole-shapes.ts'
import { deleteRevision, findFileWithRevisions, findRevision, itemAt, revisionResource, revisionsOf, updateRevision } from './revisions.ts'

const defaultFields = maskOf('kind', 'id', 'mimeType', 'modifiedTime')
const defaultListFields: Mask = new Map<string, Mask>([...maskOf('kind', 'nextPageToken'), ['revisions', defaultFields]])
const shown = { shape: revisionShape, absent: defaultFields }

/** The methods of revisions: https://developers.google.com/workspace/drive/api/reference/rest/v3/revisions. */
export const revisionMethods: readonly DriveEndpoint[] = [
  defineMethod('revisions.list', {
    scopes: readScopes,
    cost: 'list',
    answer: (session, { part }) => listRevisions(session, part('fileId')),
  }),
  defineMethod('revisions.get', {
    scopes: readScopes,
    cost: 'get',
    answer(session, { part, headers }) {
      const item = findFileWithRevisions(session, part('fileId'))
      const revision = findRevision(session, item, part('revisionId'))
      return session.params.text('alt') === 'media'
        ? download(session, itemAt(session.store, item, revision), headers)
        : respondWith(session, revisionResource(session, item, revision), shown)
    },
  }),
  defineMethod('revisions.update', {
    scopes: writeScopes,
    cost: 'edit',
    async answer(session, { part, body }) {
      const item = findFileWithRevisions(session, part('fileId'))
      const revision = findRevision(session, item, part('revisionId'))
      await session.change('revisions.update', () => {
        updateRevision(session, item, { id: revision.id, json: body() })
        return item
      })
      return respondWith(session, revisionResource(session, item, revision), shown)
    },
  }),
  defineMethod('revisions.delete', {
    scopes: writeScopes,
    cost: 'edit',
    async answer(session, { part }) {
      const { content } = await session.change('revisions.delete', () => {
        const item = findFileWithRevisions(session, part('fileId'))
        return { id: item.id, content: deleteRevision(session, item, part('revisionId')) }
      })
      session.contents.remove([content])
    },
  }),
]

function listRevisions(session: Session, fileId: string): unknown {
  const { params, store } = session
  const mask = readMask(session, revisionListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 200, largest: 1000 })
  const item = findFileWithRevisions(session, fileId)
  const list = `revisions of ${fileId}`
  const start = Number(readPageToken(params.text('pageToken'), list)[0] ?? 0)
  const all = revisionsOf(store, item)
  const end = start + size
  return applyMask(
    {
      kind: 'drive#revisionList',
      ...(end < all.length && { nextPageToken: createPageToken(list, [end]) }),
      revisions: all.slice(start, end).map((revision) => revisionResource(session, item, revision)),
    },
    mask,
  )
}
