import { hash } from 'node:crypto'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/emulator'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { invalidField, notAllowed, notFound, required } from '../http/errors.ts'
import { memberOf, parseOptionalObject } from '../http/parameters.ts'
import type { Session } from '../session/session.ts'
import { requireRole } from '../sharing/grants.ts'
import { isRoot, type Item, itemById } from '../store/items.ts'

const shape = {
  n: integer,
  id: text,
  fileId: text,
  commentId: nullable(text),
  authorId: text,
  createdTime: text,
  modifiedTime: text,
  content: text,
  action: nullable(text),
  anchor: nullable(text),
  quoted: nullable(text),
  resolved: nullable(integer),
  deleted: integer,
}

/** A comment, or a reply to one, which has a `commentId`. */
export type Comment = RowOf<typeof shape>

/** The comments and replies selected by a clause. */
export const selectComments = (store: Store, clause: string, values: Record<string, string | number>): Comment[] =>
  store.rows(shape, `select * from comments ${clause}`, values)

/** The replies to a comment, oldest first. */
const repliesTo = (store: Store, commentId: string): Comment[] =>
  selectComments(store, 'where commentId = :commentId order by n', { commentId })

/** Names a comment on a file, or a reply to it. */
export interface CommentPath {
  readonly fileId: string
  readonly commentId: string
  readonly replyId?: string
}

/** A comment or reply; throws if there is none or, unless `withDeleted`, if it is deleted. */
export function findComment(session: Session, { fileId, commentId, replyId }: CommentPath, withDeleted = false): Comment {
  const { store } = session
  const item = session.find(fileId, { inAnyDrive: true })
  const isShown = ({ deleted }: Comment) => deleted === 0 || withDeleted
  const where = 'where id = :commentId and fileId = :fileId and commentId is null'
  const comment = selectComments(store, where, { commentId, fileId: item.id }).find(isShown)
  if (comment === undefined) throw notFound(`Comment not found: ${commentId}.`, 'commentId')
  if (replyId === undefined) return comment
  const reply = repliesTo(store, comment.id).find((each) => each.id === replyId && isShown(each))
  if (reply === undefined) throw notFound(`Reply not found: ${replyId}.`, 'replyId')
  return reply
}

/** Parses a comment's or reply's JSON. */
export function parseCommentBody(json: string, kind: 'comment' | 'reply') {
  const sent = parseOptionalObject(json)
  const textOf = (name: string) => memberOf(sent, `${kind}.${name}`, text)
  const action = textOf('action')
  if (action !== undefined && (kind === 'comment' || !['resolve', 'reopen'].includes(action)))
    throw invalidField(`${kind}.action`, 'Invalid value for action.')
  const quoted = sent['quotedFileContent']
  return { content: textOf('content'), action, anchor: textOf('anchor'), quoted: isObject(quoted) ? quoted : undefined }
}

type CommentBody = ReturnType<typeof parseCommentBody>

/** Adds a comment to a file, or a reply to a comment; a reply's action resolves or reopens the comment. Call inside a write. */
export function addComment(session: Session, target: Omit<CommentPath, 'commentId'> & Partial<CommentPath>, body: CommentBody): Comment {
  const { store, at } = session
  const { fileId, commentId } = target
  const item: Item = session.find(fileId, { inAnyDrive: true })
  requireRole(item, 'commenter')
  if (isRoot(item)) throw notAllowed()
  const above = commentId === undefined ? undefined : findComment(session, { fileId, commentId })
  const content = body.content ?? ''
  if (content === '' && body.action === undefined) throw required('content', 'The content field is required.')
  const count = store.rows({ n: integer }, 'select coalesce(max(n), 0) as n from comments')[0]?.n ?? 0
  const id = `AAAB${hash('sha256', `comment ${item.id} ${count + 1}`, 'base64url').slice(0, 8)}`
  store.run(
    `insert into comments (id, fileId, commentId, authorId, createdTime, modifiedTime, content, action, anchor, quoted)
     values (:id, :fileId, :commentId, :authorId, :at, :at, :content, :action, :anchor, :quoted)`,
    {
      ...{ id, at, content, fileId: item.id, commentId: above?.id ?? null, authorId: store.viewer.id, action: body.action ?? null },
      anchor: body.anchor ?? null,
      quoted: body.quoted === undefined ? null : JSON.stringify(body.quoted),
    },
  )
  if (above) touchComment(session, above, body.action)
  return findComment(session, commentId === undefined ? { fileId, commentId: id } : { fileId, commentId, replyId: id })
}

function touchComment({ store, at }: Session, { id }: Comment, action: string | undefined): void {
  const resolved = action === undefined ? null : Number(action === 'resolve')
  store.run('update comments set modifiedTime = :at, resolved = coalesce(:resolved, resolved) where id = :id', { id, at, resolved })
}

/** Changes the text of a comment or reply. Only its author may. Call inside a write. */
export function updateComment(session: Session, path: CommentPath, { content }: CommentBody): Comment {
  const { store, at } = session
  const comment = findComment(session, path)
  if (comment.authorId !== store.viewer.id) throw notAllowed()
  if (content === undefined || content === '') throw required('content', 'The content field is required.')
  store.run('update comments set content = :content, modifiedTime = :at where id = :id', { content, at, id: comment.id })
  return findComment(session, path)
}

/** Deletes a comment or reply, leaving only a trace that it existed. Its author and the file's owner may. Call inside a write. */
export function deleteComment(session: Session, path: CommentPath): void {
  const { store, at } = session
  const comment = findComment(session, path)
  if (comment.authorId !== store.viewer.id && itemById(store, comment.fileId)?.role !== 'owner') throw notAllowed()
  const { id } = comment
  store.run("update comments set deleted = 1, content = '', quoted = null, modifiedTime = :at where id = :id", { at, id })
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const toHtml = (content: string) => content.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign).replaceAll('\n', '<br>')

/** A reply as the API returns it. */
export function replyResource({ user }: Session, reply: Comment): JsonObject {
  const { id, createdTime, modifiedTime, content, action, deleted, authorId } = reply
  const shared = { kind: 'drive#reply', id, createdTime, modifiedTime, author: authorOf(user(authorId)), deleted: deleted === 1 }
  return deleted === 1 ? shared : { ...shared, content, htmlContent: toHtml(content), ...(action !== null && { action }) }
}

/** A comment with its replies as the API returns it. */
export function commentResource(session: Session, comment: Comment, withDeleted: boolean): JsonObject {
  const { id, createdTime, modifiedTime, content, anchor, quoted, resolved, deleted, authorId } = comment
  const replies = repliesTo(session.store, id).filter((reply) => reply.deleted === 0 || withDeleted)
  return {
    kind: 'drive#comment',
    id,
    createdTime,
    modifiedTime,
    author: authorOf(session.user(authorId)),
    deleted: deleted === 1,
    ...(deleted === 0 && { content, htmlContent: toHtml(content) }),
    ...(anchor !== null && { anchor }),
    ...(quoted !== null && { quotedFileContent: parseJson(quoted) }),
    ...(resolved !== null && { resolved: resolved === 1 }),
    replies: replies.map((reply) => replyResource(session, reply)),
  }
}

/** An author without the id and the email address, which the vendor does not reveal. */
function authorOf(user: JsonObject | undefined): JsonObject | undefined {
  if (user === undefined) return undefined
  const { kind, displayName, photoLink, me } = user
  return { kind, displayName, ...(photoLink !== undefined && { photoLink }), me }
}
