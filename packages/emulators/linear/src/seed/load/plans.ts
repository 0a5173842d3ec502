import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { idOf, slugIdFor } from '../../ids.ts'
import { viewerId } from '../seed-ids.ts'
import { projectStatuses } from '../seed-rows.ts'
import type { LinearSeed, SeedCycle, SeedInitiative, SeedProject } from '../schema.ts'
import { loadComments } from './comments.ts'
import { type Loader, maybeId, priorities, withPaths } from './loader.ts'

/** Adds cycles, projects with their milestones and updates, and initiatives. */
export function loadPlans(loader: Loader, seed: LinearSeed): void {
  for (const [cycle, path] of withPaths(seed.cycles, ['cycles'])) loadCycle(loader, cycle, path)
  for (const [project, path] of withPaths(seed.projects, ['projects'])) loadProject(loader, project, path)
  for (const [initiative, path] of withPaths(seed.initiatives, ['initiatives'])) loadInitiative(loader, initiative, path)
}

function loadCycle({ add, at, now, names }: Loader, cycle: SeedCycle, path: SeedPath): void {
  const { team, number, name, description } = cycle
  const teamId = names.team.get(team, [...path, 'team'])
  names.cycle.add(`${team} ${number}`, idOf(`Cycle ${team} ${number}`), path)
  const [startsAt, endsAt] = [at(cycle.startsAt, [...path, 'startsAt']), at(cycle.endsAt, [...path, 'endsAt'])]
  if (startsAt >= endsAt) throw new SeedError([...path, 'endsAt'], 'a cycle must end after it starts.')
  const createdAt = at(cycle.createdAt ?? 90, [...path, 'createdAt'])
  add('Cycle', `${team} ${number}`, {
    createdAt,
    updatedAt: createdAt,
    number,
    name: name ?? null,
    description: description ?? null,
    startsAt,
    endsAt,
    completedAt: Date.parse(endsAt) <= now ? endsAt : null,
    teamId,
  })
}

function loadProject(loader: Loader, project: SeedProject, path: SeedPath): void {
  const { add, link, at, names } = loader
  const { name, teams, lead, milestones, updates } = project
  const projectId = idOf(`Project ${name}`)
  names.project.add(name, projectId, [...path, 'name'])
  add('Project', name, projectValues(loader, project, path))
  for (const [key, keyPath] of withPaths(teams, [...path, 'teams'])) link('projectTeams', projectId, names.team.get(key, keyPath))
  const members = withPaths(project.members, [...path, 'members']).map(([member, memberPath]) => names.user.get(member, memberPath))
  const leads = lead === undefined ? [] : [names.user.get(lead, [...path, 'lead'])]
  for (const member of new Set([...leads, ...members])) link('projectMembers', projectId, member)
  for (const [{ name: own, ...milestone }, milestonePath] of withPaths(milestones, [...path, 'milestones'])) {
    names.milestone.add(`${name} ${own}`, idOf(`ProjectMilestone ${name} ${own}`), milestonePath)
    add('ProjectMilestone', `${name} ${own}`, {
      name: own,
      description: milestone.description ?? null,
      targetDate: loader.day(milestone.targetDate, [...milestonePath, 'targetDate']),
      sortOrder: Number(milestonePath.at(-1)),
      projectId,
    })
  }
  loadComments(loader, project, { name: `Project ${name}`, projectId, path })
  for (const [{ by, at: time, body, health = 'onTrack' }, updatePath] of withPaths(updates, [...path, 'updates'])) {
    const createdAt = at(time, [...updatePath, 'at'])
    const userId = names.user.get(by, [...updatePath, 'by'])
    add('ProjectUpdate', `${name} ${Number(updatePath.at(-1))}`, {
      createdAt,
      updatedAt: createdAt,
      body: loader.text(body),
      health,
      projectId,
      userId,
    })
  }
}

/** A project's columns. Its health is that of its last update. */
function projectValues({ at, maybeAt, day, text, names }: Loader, project: SeedProject, path: SeedPath) {
  const { name, description, content, status = 'Backlog', lead, creator, priority = 'none', updates = [] } = project
  if (!projectStatuses.some((each) => each === status))
    throw new SeedError(
      [...path, 'status'],
      `there is no status called ${JSON.stringify(status)}. The statuses are ${projectStatuses.join(', ')}.`,
    )
  const times = updates.map(({ at: time }, index) => at(time, [...path, 'updates', index, 'at']))
  const newest = times.toSorted().at(-1)
  const last = updates[times.indexOf(newest ?? '')]
  const createdAt = at(project.createdAt ?? 90, [...path, 'createdAt'])
  return {
    createdAt,
    updatedAt: maybeAt(project.updatedAt, [...path, 'updatedAt']) ?? newest ?? createdAt,
    name,
    slugId: slugIdFor(idOf(`Project ${name}`)),
    description: text(description) ?? '',
    content: text(content),
    color: '#26b5ce',
    priority: priorities[priority],
    statusId: idOf(`ProjectStatus ${status}`),
    creatorId: maybeId(names.user, creator, [...path, 'creator']) ?? viewerId,
    leadId: maybeId(names.user, lead, [...path, 'lead']),
    startDate: day(project.startDate, [...path, 'startDate']),
    targetDate: day(project.targetDate, [...path, 'targetDate']),
    health: last === undefined ? null : (last.health ?? 'onTrack'),
    healthUpdatedAt: newest ?? null,
    startedAt: maybeAt(project.startedAt, [...path, 'startedAt']),
    completedAt: maybeAt(project.completedAt, [...path, 'completedAt']),
    canceledAt: maybeAt(project.canceledAt, [...path, 'canceledAt']),
    archivedAt: maybeAt(project.archivedAt, [...path, 'archivedAt']),
  }
}

function loadInitiative({ add, at, maybeAt, day, text, names }: Loader, initiative: SeedInitiative, path: SeedPath): void {
  const { name, description, content, status = 'Planned', owner, parent, projects } = initiative
  const initiativeId = idOf(`Initiative ${name}`)
  const createdAt = at(initiative.createdAt ?? 90, [...path, 'createdAt'])
  const parentInitiativeId = maybeId(names.initiative, parent, [...path, 'parent'])
  names.initiative.add(name, initiativeId, [...path, 'name'])
  add('Initiative', name, {
    createdAt,
    updatedAt: maybeAt(initiative.updatedAt, [...path, 'updatedAt']) ?? createdAt,
    name,
    slugId: slugIdFor(initiativeId),
    description: text(description),
    content: text(content),
    status,
    priority: 0,
    targetDate: day(initiative.targetDate, [...path, 'targetDate']),
    startedAt: maybeAt(initiative.startedAt, [...path, 'startedAt']) ?? (status === 'Active' ? createdAt : null),
    completedAt: maybeAt(initiative.completedAt, [...path, 'completedAt']),
    ownerId: maybeId(names.user, owner, [...path, 'owner']),
    creatorId: viewerId,
    parentInitiativeId,
    archivedAt: maybeAt(initiative.archivedAt, [...path, 'archivedAt']),
  })
  for (const [project, projectPath] of withPaths(projects, [...path, 'projects']))
    add('InitiativeToProject', `${name} ${project}`, {
      initiativeId,
      projectId: names.project.get(project, projectPath),
      sortOrder: String(projectPath.at(-1)),
    })
}
