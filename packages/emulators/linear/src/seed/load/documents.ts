import { SeedError } from '@mcp-toolkits/emulator'
import { idOf, slugIdFor } from '../../ids.ts'
import type { LinearSeed } from '../schema.ts'
import { viewerId } from '../seed-ids.ts'
import { type Loader, maybeId, withPaths } from './loader.ts'

/** Adds documents, each to its owner. */
export function loadDocuments({ add, at, maybeAt, text, names }: Loader, { documents }: LinearSeed): void {
  for (const [document, path] of withPaths(documents, ['documents'])) {
    const { title, content, project, initiative, issue, team, creator } = document
    const owners = {
      projectId: maybeId(names.project, project, [...path, 'project']),
      initiativeId: maybeId(names.initiative, initiative, [...path, 'initiative']),
      issueId: maybeId(names.issue, issue, [...path, 'issue']),
      teamId: maybeId(names.team, team, [...path, 'team']),
    }
    if (Object.values(owners).filter((id) => id !== null).length !== 1)
      throw new SeedError(path, 'a document must belong to exactly one project, initiative, issue or team.')
    const createdAt = at(document.createdAt ?? 90, [...path, 'createdAt'])
    names.document.add(title, idOf(`Document ${title}`), [...path, 'title'])
    add('Document', title, {
      createdAt,
      updatedAt: maybeAt(document.updatedAt, [...path, 'updatedAt']) ?? createdAt,
      title,
      slugId: slugIdFor(idOf(`Document ${title}`)),
      content: text(content) ?? '',
      creatorId: maybeId(names.user, creator, [...path, 'creator']) ?? viewerId,
      sortOrder: Number(path.at(-1)),
      ...owners,
    })
  }
}
