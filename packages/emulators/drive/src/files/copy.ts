import { forbidden } from '../http/errors.ts'
import type { EndpointRequest } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { capabilitiesIn } from '../sharing/effective-access.ts'
import { isFolder, isNative, isShortcut, type Item } from '../store/items.ts'
import { type FileBody, parseBody } from './body.ts'
import { parseFileMask, respondWithFile } from './resource.ts'
import { createItem, propertiesIn, type UploadedContent } from './write.ts'

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy */
export async function copyFile(session: Session, { part, body: json }: EndpointRequest): Promise<unknown> {
  parseFileMask(session)
  const source = session.find(part('fileId'))
  const body = parseBody(json(), 'create')
  if (isFolder(source) || isShortcut(source) || !capabilitiesIn(session, source).download)
    throw forbidden('cannotCopyFile', 'This file cannot be copied by the user.')
  const upload = await copyContent(session, source)
  try {
    const copied = await session.change('files.copy', () => {
      const item = createItem(session, copyBody(session, source, body), upload)
      // Copies the source's words, so that searches find both files.
      session.store.run('update files set textWords = (select textWords from files where id = :from) where id = :to', {
        from: source.id,
        to: item.id,
      })
      return item
    })
    return respondWithFile(session, copied)
  } catch (error) {
    session.contents.remove([upload?.key ?? null])
    throw error
  }
}

async function copyContent({ contents }: Session, { content, size, mimeType, md5 }: Item): Promise<UploadedContent | undefined> {
  if (content === null) return undefined
  // For Google's own types, `size` is not the length of the text.
  const whole = isNative({ mimeType }) ? Number.MAX_SAFE_INTEGER : (size ?? 0)
  const draft = `copy-${crypto.randomUUID()}`
  try {
    const length = await contents.write(draft, contents.read(content, { start: 0, end: whole - 1 }))
    const stored = await contents.finish(draft, length)
    return { ...stored, md5: md5 ?? stored.md5, type: mimeType, text: '' }
  } finally {
    contents.drop(draft)
  }
}

function copyBody(session: Session, source: Item, body: FileBody): FileBody {
  const { parentId, name, mimeType } = source
  const { rootId } = session.store.viewer
  const isWritable = parentId !== null && (parentId === rootId || canAddTo(session, parentId))
  return {
    ...body,
    name: body.name ?? `Copy of ${name}`,
    mimeType: body.mimeType ?? mimeType,
    parents: body.parents ?? (isWritable ? [parentId] : undefined),
    description: body.description ?? source.description ?? undefined,
    originalFilename: body.originalFilename ?? source.originalFilename ?? undefined,
    properties: { ...propertiesIn(source.properties), ...body.properties },
    appProperties: { ...propertiesIn(source.appProperties), ...body.appProperties },
  }
}

const canAddTo = (session: Session, id: string) => session.canSee(id) && capabilitiesIn(session, session.find(id)).edit
