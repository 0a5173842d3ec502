import { invalidValue } from '../http/errors.ts'
import { applyMask, defineShape, type FieldShape, readMask, respondWith, userShape } from '../http/field-masks.ts'
import { pageOf } from '../http/page-tokens.ts'
import type { Answers, EndpointRequest } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import {
  addComment,
  type Comment,
  type CommentPath,
  commentResource,
  deleteComment,
  findComment,
  parseCommentBody,
  replyResource,
  selectComments,
  updateComment,
} from './comments.ts'

export const replyShape: FieldShape = defineShape(
  'kind id createdTime modifiedTime htmlContent content deleted action assigneeEmailAddress mentionedEmailAddresses',
  { author: userShape },
)
export const replyListShape: FieldShape = defineShape('kind nextPageToken', { replies: replyShape })
export const commentShape: FieldShape = defineShape(
  'kind id createdTime modifiedTime htmlContent content deleted resolved anchor assigneeEmailAddress mentionedEmailAddresses',
  { author: userShape, quotedFileContent: defineShape('mimeType value'), replies: replyShape },
)
export const commentListShape: FieldShape = defineShape('kind nextPageToken', { comments: commentShape })

/** Comments or replies, which have the same methods. */
interface Kind {
  readonly resource: 'comments' | 'replies'
  readonly shape: FieldShape
  readonly body: 'comment' | 'reply'
  readonly path: (request: EndpointRequest) => CommentPath
  readonly show: (session: Session, comment: Comment) => object
}

const withDeleted = ({ params }: Session) => params.flag('includeDeleted')

const comments: Kind = {
  resource: 'comments',
  shape: commentShape,
  body: 'comment',
  path: ({ part }) => ({ fileId: part('fileId'), commentId: part('commentId') }),
  show: (session, comment) => commentResource(session, comment, withDeleted(session)),
}

const replies: Kind = {
  resource: 'replies',
  shape: replyShape,
  body: 'reply',
  path: ({ part }) => ({ fileId: part('fileId'), commentId: part('commentId'), replyId: part('replyId') }),
  show: replyResource,
}

/** Methods for comments and replies: https://developers.google.com/workspace/drive/api/guides/manage-comments. */
export const commentMethods: Answers = {
  ...methodsOf(comments),
  'comments.list'(session, { part }) {
    const { id } = session.find(part('fileId'), { inAnyDrive: true })
    const since = session.params.text('startModifiedTime') ?? ''
    if (since !== '' && Number.isNaN(Date.parse(since))) throw invalidValue('startModifiedTime')
    const from = since === '' ? '' : new Date(since).toISOString()
    const where = 'where fileId = :id and commentId is null and modifiedTime >= :from order by modifiedTime desc, n desc'
    return listComments(session, comments, { key: `${id} ${from}`, found: selectComments(session.store, where, { id, from }) })
  },
  ...methodsOf(replies),
  'replies.list'(session, { part }) {
    const { id } = findComment(session, { fileId: part('fileId'), commentId: part('commentId') }, withDeleted(session))
    return listComments(session, replies, { key: id, found: selectComments(session.store, 'where commentId = :id order by n', { id }) })
  },
}

function methodsOf({ resource, shape, body: kind, path, show }: Kind): Answers {
  return {
    [`${resource}.get`]: (session, request) =>
      respondWith(session, show(session, findComment(session, path(request), withDeleted(session))), { shape }),
    async [`${resource}.create`](session, { part, body }) {
      readMask(session, shape)
      const target = { fileId: part('fileId'), ...(kind === 'reply' && { commentId: part('commentId') }) }
      const parsed = parseCommentBody(body(), kind)
      const added = await changeOf(session, `${resource}.create`, () => addComment(session, target, parsed))
      return respondWith(session, show(session, added), { shape })
    },
    async [`${resource}.update`](session, request) {
      readMask(session, shape)
      const parsed = parseCommentBody(request.body(), kind)
      const updated = await changeOf(session, `${resource}.update`, () => updateComment(session, path(request), parsed))
      return respondWith(session, show(session, updated), { shape })
    },
    async [`${resource}.delete`](session, request) {
      await session.change(`${resource}.delete`, () => {
        deleteComment(session, path(request))
        return { id: path(request).fileId }
      })
    },
  }
}

/** Records a change to the file. */
async function changeOf(session: Session, method: string, work: () => Comment): Promise<Comment> {
  const { comment } = await session.change(method, () => {
    const changed = work()
    return { id: changed.fileId, comment: changed }
  })
  return comment
}

interface Found {
  /** Identifies the list in page tokens. */
  readonly key: string
  readonly found: readonly Comment[]
}

function listComments(session: Session, { resource, show }: Kind, { key, found }: Found): unknown {
  const { params } = session
  const mask = readMask(session, resource === 'comments' ? commentListShape : replyListShape)
  const size = params.whole('pageSize', { usual: 20, largest: 100 })
  const list = `${resource} ${key} ${withDeleted(session)}`
  const all = found.filter(({ deleted }) => deleted === 0 || withDeleted(session))
  const { shown, next } = pageOf(session, all, { list, size })
  const kind = resource === 'comments' ? 'drive#commentList' : 'drive#replyList'
  return applyMask({ kind, ...next, [resource]: shown.map((comment) => show(session, comment)) }, mask)
}
