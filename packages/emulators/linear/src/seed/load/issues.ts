import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { idOf } from '../../ids.ts'
import type { LinearSeed, SeedIssue, SeedNotification } from '../schema.ts'
import { viewerId } from '../seed-ids.ts'
import { loadComments } from './comments.ts'
import { type Loader, maybeId, priorities, withPaths } from './loader.ts'
import { findLabel, type TeamIndex } from './people.ts'

/** Adds the issues with their comments, relations and attachments. */
export function loadIssues(loader: Loader, seed: LinearSeed, teams: TeamIndex): void {
  const issues = withPaths(seed.issues, ['issues'])
  // Issues may refer to later ones.
  for (const [{ id }, path] of issues) loader.names.issue.add(id, idOf(`Issue ${id}`), [...path, 'id'])
  for (const [issue, path] of issues) {
    loadIssue(loader, issue, { path, teams })
    loadComments(loader, issue, { name: issue.id, issueId: idOf(`Issue ${issue.id}`), path })
    loadLinks(loader, issue, path)
    for (const former of issue.formerIds ?? []) loader.link('formerIdentifiers', former, idOf(`Issue ${issue.id}`))
  }
}

const identifierParts = (identifier: string) => {
  const dash = identifier.indexOf('-')
  return { key: identifier.slice(0, dash), number: Number(identifier.slice(dash + 1)) }
}

function loadIssue(loader: Loader, issue: SeedIssue, { path, teams }: { path: SeedPath; teams: TeamIndex }): void {
  const { add, link, names } = loader
  const { key, number } = identifierParts(issue.id)
  const teamId = names.team.get(key, [...path, 'id'])
  const creatorId = maybeId(names.user, issue.creator, [...path, 'creator']) ?? viewerId
  const assigneeId = maybeId(names.user, issue.assignee, [...path, 'assignee'])
  teams.check(issue, key, path)
  const issueId = add('Issue', issue.id, {
    teamId,
    number,
    identifier: issue.id,
    title: issue.title,
    description: loader.text(issue.description),
    priority: priorities[issue.priority ?? 'none'],
    estimate: issue.estimate ?? null,
    dueDate: loader.day(issue.due, [...path, 'due']),
    assigneeId,
    creatorId,
    ...placement(loader, issue, path),
    ...timesOf(loader, issue, { path, type: teams.stateType(key, issue.state) }),
    stateId: teams.stateId(key, issue.state, [...path, 'state']),
    parentId: maybeId(names.issue, issue.parent, [...path, 'parent']),
    sortOrder: -number,
  })
  const labels = withPaths(issue.labels, [...path, 'labels']).map(([name, labelPath]) => findLabel(loader, { name, team: key }, labelPath))
  for (const label of new Set(labels)) link('issueLabels', issueId, label)
  const others = withPaths(issue.subscribers, [...path, 'subscribers']).map(([name, at]) => names.user.get(name, at))
  const authors = authorsOf(issue).map((name) => names.user.get(name, [...path, 'comments']))
  for (const each of new Set([creatorId, ...(assigneeId === null ? [] : [assigneeId]), ...others, ...authors]))
    link('issueSubscribers', issueId, each)
}

const authorsOf = ({ comments = [] }: SeedIssue) => comments.flatMap(({ by, replies = [] }) => [by, ...replies.map((reply) => reply.by)])

function placement({ names }: Loader, { id, project, milestone, cycle }: SeedIssue, path: SeedPath) {
  if (milestone !== undefined && project === undefined)
    throw new SeedError([...path, 'milestone'], 'an issue with a milestone must also name the project.')
  return {
    projectId: maybeId(names.project, project, [...path, 'project']),
    projectMilestoneId: milestone === undefined ? null : names.milestone.get(`${project ?? ''} ${milestone}`, [...path, 'milestone']),
    cycleId: cycle === undefined ? null : names.cycle.get(`${identifierParts(id).key} ${cycle}`, [...path, 'cycle']),
  }
}

/** An issue's times. Times that its state requires default to the time of its last change. */
function timesOf({ at, maybeAt }: Loader, issue: SeedIssue, { path, type }: { path: SeedPath; type: string }) {
  const time = (key: 'updatedAt' | 'startedAt' | 'completedAt' | 'canceledAt' | 'archivedAt') => maybeAt(issue[key], [...path, key])
  const createdAt = at(issue.createdAt, [...path, 'createdAt'])
  const [startedAt, completedAt, canceledAt, archivedAt] = [time('startedAt'), time('completedAt'), time('canceledAt'), time('archivedAt')]
  const said = withPaths(issue.comments, [...path, 'comments']).flatMap(([{ at: when, replies = [] }, commentPath]) => [
    at(when, [...commentPath, 'at']),
    ...replies.map((reply, index) => at(reply.at, [...commentPath, 'replies', index, 'at'])),
  ])
  const changes = [createdAt, ...said, ...[startedAt, completedAt, canceledAt].filter((each) => each !== null)]
  const updatedAt = time('updatedAt') ?? changes.toSorted().at(-1) ?? createdAt
  const isCanceled = type === 'canceled' || type === 'duplicate'
  return {
    createdAt,
    updatedAt,
    startedAt: startedAt ?? (type === 'started' || type === 'completed' ? (completedAt ?? updatedAt) : null),
    completedAt: completedAt ?? (type === 'completed' ? updatedAt : null),
    canceledAt: canceledAt ?? (isCanceled ? updatedAt : null),
    archivedAt,
  }
}

function loadLinks({ add, at, names, store }: Loader, issue: SeedIssue, path: SeedPath): void {
  const { id, blocks, relatedTo, duplicateOf, attachments } = issue
  const issueId = idOf(`Issue ${id}`)
  const createdAt = at(issue.createdAt, [...path, 'createdAt'])
  const relate = (type: string, other: string, otherPath: SeedPath) => {
    const relatedIssueId = names.issue.get(other, otherPath)
    if (other === id) throw new SeedError(otherPath, 'an issue cannot have a relation to itself.')
    add('IssueRelation', `${id} ${type} ${other}`, { createdAt, updatedAt: createdAt, type, issueId, relatedIssueId })
  }
  for (const [other, otherPath] of withPaths(blocks, [...path, 'blocks'])) relate('blocks', other, otherPath)
  for (const [other, otherPath] of withPaths(relatedTo, [...path, 'relatedTo'])) relate('related', other, otherPath)
  if (duplicateOf !== undefined) relate('duplicate', duplicateOf, [...path, 'duplicateOf'])
  for (const [attached, own] of withPaths(attachments, [...path, 'attachments'])) {
    const { title, subtitle, file, source, by, at: time = issue.createdAt } = attached
    const attachedAt = at(time, [...own, 'at'])
    const url = attached.url ?? (file && store({ ...file, key: `${id} ${title}`, at: attachedAt }))
    if (url === undefined || (attached.url !== undefined && file))
      throw new SeedError(own, 'an attachment must have either a url or a file.')
    add('Attachment', `${id} ${url}`, {
      createdAt: attachedAt,
      updatedAt: attachedAt,
      title,
      subtitle: subtitle ?? null,
      url,
      sourceType: source ?? null,
      metadata: '{}',
      groupBySource: false,
      issueId,
      creatorId: maybeId(names.user, by, [...own, 'by']) ?? viewerId,
    })
  }
}

/** Adds the viewer's notifications. */
export function loadNotifications(loader: Loader, seed: LinearSeed): void {
  for (const [notification, path] of withPaths(seed.notifications, ['notifications']))
    loadNotification(loader, seed, { notification, path })
}

function loadNotification(
  { add, at, maybeAt, names }: Loader,
  seed: LinearSeed,
  { notification, path }: { notification: SeedNotification; path: SeedPath },
): void {
  const { type, category, actor, issue, project, initiative, document } = notification
  const [kind, about] =
    Object.entries({ Issue: issue, Project: project, Initiative: initiative, Document: document }).find(([, name]) => name !== undefined) ??
    []
  if (kind === undefined) throw new SeedError(path, 'a notification must be about an issue, a project, an initiative or a document.')
  const createdAt = at(notification.at, [...path, 'at'])
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
    documentId: document === undefined ? null : idOf(`Document ${document}`),
    commentId: /comment/i.test(type) ? lastComment(seed, notification) : null,
    projectUpdateId: type.startsWith('projectUpdate') ? lastUpdate(seed, project) : null,
    readAt: maybeAt(notification.readAt, [...path, 'readAt']),
    snoozedUntilAt: maybeAt(notification.snoozedUntil, [...path, 'snoozedUntil']),
  })
}

/** The id of the actor's last comment on the issue. */
function lastComment({ issues = [] }: LinearSeed, { issue, actor }: SeedNotification): string | null {
  const comments = issues.find(({ id }) => id === issue)?.comments ?? []
  const names = comments.flatMap(({ by, key, replies = [] }, index) => [
    ...(by === actor ? [key ?? `${issue ?? ''} ${index}`] : []),
    ...replies.flatMap((reply, position) => (reply.by === actor ? [reply.key ?? `${issue ?? ''} ${index} ${position}`] : [])),
  ])
  const last = names.at(-1)
  return last === undefined ? null : idOf(`Comment ${last}`)
}

function lastUpdate({ projects = [] }: LinearSeed, project: string | undefined): string | null {
  const count = projects.find(({ name }) => name === project)?.updates?.length ?? 0
  return count === 0 ? null : idOf(`ProjectUpdate ${project ?? ''} ${count - 1}`)
}
