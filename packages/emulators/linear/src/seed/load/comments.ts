import type { SeedPath } from '@mcp-toolkits/emulator'
import type { SeedComment } from '../schema.ts'
import { type Loader, maybeId, withPaths } from './loader.ts'

/** An entity with comments, whose ids depend on its name. */
interface Commented {
  readonly name: string
  readonly issueId?: string
  readonly projectId?: string
  readonly path: SeedPath
}

/** Adds the comments on an issue or a project, with their replies. */
export function loadComments(
  loader: Loader,
  { comments }: { readonly comments?: readonly SeedComment[] | undefined },
  { name: about, issueId, projectId, path }: Commented,
): void {
  const { add, at, names } = loader
  const insert = (
    comment: Omit<SeedComment, 'replies'>,
    { name, path: own, parentId }: { name: string; path: SeedPath; parentId: string | null },
  ) => {
    const createdAt = at(comment.at, [...own, 'at'])
    const resolvingUserId = maybeId(names.user, comment.resolvedBy, [...own, 'resolvedBy'])
    return add('Comment', comment.key ?? name, {
      createdAt,
      updatedAt: createdAt,
      body: loader.text(comment.body),
      issueId: issueId ?? null,
      projectId: projectId ?? null,
      parentId,
      userId: names.user.get(comment.by, [...own, 'by']),
      resolvingUserId,
      resolvedAt: resolvingUserId === null ? null : createdAt,
      editedAt: loader.maybeAt(comment.editedAt, [...own, 'editedAt']),
      quotedText: comment.quotes ?? null,
    })
  }
  for (const [comment, commentPath] of withPaths(comments, [...path, 'comments'])) {
    const name = `${about} ${String(commentPath.at(-1))}`
    const parentId = insert(comment, { name, path: commentPath, parentId: null })
    for (const [reply, replyPath] of withPaths(comment.replies, [...commentPath, 'replies']))
      insert(reply, { name: `${name} ${String(replyPath.at(-1))}`, path: replyPath, parentId })
  }
}
