import { More, pageSize, Person, Prose, Time } from '@mcp-toolkits/emulator/workspace'
import { nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { issuePath } from './elements.tsx'

const columns = {
  id: text,
  body: text,
  parentId: nullable(text),
  author: nullable(text),
  createdAt: text,
  editedAt: nullable(text),
  resolvedAt: nullable(text),
}

type CommentRow = RowOf<typeof columns>

interface CommentsProps {
  readonly store: Store
  readonly issue: { readonly id: string; readonly identifier: string }
  /** Shows comments before this time. */
  readonly before: string | undefined
}

/** An issue's newest comments in chronological order, replies below the comments they answer. */
export function Comments({ store, issue, before = '9999' }: CommentsProps) {
  const sql = `select c.id, c.body, c.parentId, u.name as author, c.createdAt, c.editedAt, c.resolvedAt
    from comments c left join users u on u.id = c.userId
    where c.issueId = :id and c.archivedAt is null and c.createdAt < :before order by c.createdAt desc, c.id desc limit :limit`
  const found = store.rows(columns, sql, { id: issue.id, before, limit: pageSize + 1 })
  const comments = found.slice(0, pageSize).reverse()
  const ids = new Set(comments.map(({ id }) => id))
  // A reply to a comment on another page stands alone.
  const roots = comments.filter(({ parentId }) => parentId === null || !ids.has(parentId))
  const [first] = comments
  const earlier =
    found.length > pageSize && first ? `${issuePath(issue.identifier)}?before=${encodeURIComponent(first.createdAt)}` : undefined
  return (
    <section aria-labelledby="comments">
      <h2 id="comments">Comments</h2>
      {comments.length === 0 && <p class="soft">None yet.</p>}
      <More href={earlier} label="Earlier comments" />
      {roots.map((root) => (
        <Comment comment={root} replies={comments.filter(({ parentId }) => parentId === root.id)} />
      ))}
    </section>
  )
}

function Comment({ comment, replies }: { readonly comment: CommentRow; readonly replies: readonly CommentRow[] }) {
  const { id, author, createdAt, editedAt, resolvedAt, body } = comment
  return (
    <article class="comment" id={`comment-${id.slice(0, 8)}`} data-version={`${editedAt ?? ''}${resolvedAt ?? ''}`}>
      <p>
        <strong>
          <Person name={author} />
        </strong>{' '}
        <Time at={createdAt} /> {editedAt !== null && <span class="soft">edited</span>}{' '}
        {resolvedAt !== null && <span class="tag">resolved</span>}
      </p>
      <Prose text={body} under={2} />
      {replies.map((reply) => (
        <Comment comment={reply} replies={[]} />
      ))}
    </article>
  )
}
