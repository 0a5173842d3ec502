import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { idOf } from '../../ids.ts'
import { viewerId } from '../empty.ts'
import type { LinearSeed, SeedNotification } from '../schema.ts'
import { type Loader, maybeId, withPaths } from './loader.ts'

/** Adds the notifications of the viewer. */
export function loadNotifications(loader: Loader, seed: LinearSeed): void {
  for (const [notification, path] of withPaths(seed.notifications, ['notifications']))
    loadNotification(loader, seed, { notification, path })
}

function loadNotification(
  { add, at, maybeAt, names }: Loader,
  seed: LinearSeed,
  { notification, path }: { notification: SeedNotification; path: SeedPath },
): void {
  const { type, category, actor, issue, project, initiative } = notification
  const kind = issue !== undefined ? 'Issue' : project !== undefined ? 'Project' : initiative !== undefined ? 'Initiative' : undefined
  if (kind === undefined) throw new SeedError(path, 'a notification is about an issue, a project or an initiative.')
  const createdAt = at(notification.at, [...path, 'at'])
  const about = [issue, project, initiative].filter((each) => each !== undefined).join(' ')
  add('Notification', `${String(path.at(-1))} ${type} ${about}`, {
    createdAt,
    updatedAt: createdAt,
    kind: `${kind}Notification`,
    type,
    category,
    userId: viewerId,
    actorId: maybeId(names.user, actor, [...path, 'actor']),
    issueId: maybeId(names.issue, issue, [...path, 'issue']),
    projectId: maybeId(names.project, project, [...path, 'project']),
    initiativeId: maybeId(names.initiative, initiative, [...path, 'initiative']),
    commentId: /comment/i.test(type) ? lastComment(seed, notification) : null,
    projectUpdateId: type.startsWith('projectUpdate') ? lastUpdate(seed, project) : null,
    readAt: maybeAt(notification.readAt, [...path, 'readAt']),
    snoozedUntilAt: maybeAt(notification.snoozedUntil, [...path, 'snoozedUntil']),
  })
}

/** The id of the last comment of the actor on the issue. */
function lastComment({ issues = [] }: LinearSeed, { issue, actor }: SeedNotification): string | null {
  const comments = issues.find(({ id }) => id === issue)?.comments ?? []
  const names = comments.flatMap(({ by, replies = [] }, index) => [
    ...(by === actor ? [`${issue ?? ''} ${index}`] : []),
    ...replies.flatMap((reply, position) => (reply.by === actor ? [`${issue ?? ''} ${index} ${position}`] : [])),
  ])
  const last = names.at(-1)
  return last === undefined ? null : idOf(`Comment ${last}`)
}

function lastUpdate({ projects = [] }: LinearSeed, project: string | undefined): string | null {
  const count = projects.find(({ name }) => name === project)?.updates?.length ?? 0
  return count === 0 ? null : idOf(`ProjectUpdate ${project ?? ''} ${count - 1}`)
}
