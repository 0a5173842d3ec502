import { invalidParameter } from '../http/errors.ts'
import { applyMask, generatedIdsShape, readMask } from '../http/field-masks.ts'
import type { Answers } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { newIds } from '../store/ids.ts'
import { parseBody } from './body.ts'
import { download } from './download.ts'
import { listFiles } from './list.ts'
import { parseFileMask, respondWithFile } from './resource.ts'
import { createItem, deleteItem, emptyTrash, updateFile } from './write.ts'
/** Deletes stored content after the transaction. */
async function deleteContents(
  session: Session,
  method: string,
  work: () => { id: string; contents: readonly (string | null)[] },
): Promise<void> {
  const { contents } = await session.change(method, work)
  session.contents.remove(contents)
}

const wantsMedia = ({ params }: Session) => params.text('alt') === 'media'

/** Methods on files that the servers use: https://developers.google.com/workspace/drive/api/reference/rest/v3/files. */
export const fileMethods: Answers = {
  'files.list': listFiles,
  async 'files.create'(session, { body }) {
    parseFileMask(session)
    return respondWithFile(session, await session.change('files.create', () => createItem(session, parseBody(body(), 'create'))))
  },
  'files.generateIds': generateIds,
  'files.emptyTrash': (session) => deleteContents(session, 'files.emptyTrash', () => ({ id: 'trash', contents: emptyTrash(session) })),
  'files.get'(session, { part, headers }) {
    parseFileMask(session)
    const item = session.find(part('fileId'))
    return wantsMedia(session) ? download(session, item, headers) : respondWithFile(session, item)
  },
  async 'files.update'(session, { part, body }) {
    parseFileMask(session)
    const change = () => updateFile(session, part('fileId'), { body: parseBody(body(), 'update') })
    return respondWithFile(session, await session.change('files.update', change))
  },
  'files.delete': (session, { part }) => deleteContents(session, 'files.delete', () => deleteItem(session, part('fileId'))),
}

/** `GET /drive/v3/files/generateIds` */
async function generateIds({ params, store }: Session): Promise<unknown> {
  const count = params.whole('count', { usual: 10, largest: 1000 })
  const space = params.text('space') ?? 'drive'
  if (space !== 'drive') throw invalidParameter('space', `Invalid value '${space}'. Allowed values are: [drive]`)
  if ((params.text('type') ?? 'files') !== 'files') throw invalidParameter('type', 'Ids can be generated for files only.')
  const answer = { kind: 'drive#generatedIds', space, ids: await store.write(() => newIds(store, count)) }
  return applyMask(answer, readMask({ params }, generatedIdsShape, 'all'))
}
