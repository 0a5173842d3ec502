import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { requiredText } from '../engine/inputs.ts'
import { forbidden } from '../errors.ts'
import { slugIdFor } from '../ids.ts'
import { reactionData } from '../issues/reactions.ts'
import { columnsOf, type EntityType } from '../store/entity-type.ts'

/** A project's or initiative's newest update. */
export const lastUpdate =
  (type: string, key: string): FieldResolver =>
  (source, _, session) =>
    session.select(type, `where a.${key} = :id and a.archivedAt is null order by a.createdAt desc limit 1`, {
      id: stringAt(source, 'id'),
    })[0] ?? null

/** Rules for updates. People can change only their own. A new update without health takes that of its project or initiative. */
const statusUpdate = (type: 'Project' | 'Initiative'): CrudHooks => ({
  check(session, values, before) {
    if (before !== undefined) {
      if (before['userId'] !== session.viewerId) throw forbidden('You can only change your own updates.')
      return { editedAt: session.at }
    }
    const about = session.get(type, String(values[`${type.toLowerCase()}Id`]))
    const body = type === 'Project' ? requiredText(values, 'body') : values['body']
    return { body, health: values['health'] ?? stringOrNullAt(about, 'health') ?? 'onTrack' }
  },
  afterCreate(session, row) {
    const health = stringAt(row, 'health')
    session.update(type, stringAt(row, `${type.toLowerCase()}Id`), { health, healthUpdatedAt: session.at })
    return row
  },
})

const update: EntityType = {
  type: 'ProjectUpdate',
  table: 'projectUpdates',
  columns: columnsOf('body, health, projectId, userId, editedAt?'),
  indexes: ['projectId'],
}

export const projectUpdates = entity(update, {
  ...statusUpdate('Project'),
  fields: {
    slugId: (source) => slugIdFor(stringAt(source, 'id')),
    url: (source, _, { pageUrl }) => pageUrl(`/project-update/${slugIdFor(stringAt(source, 'id'))}`),
    reactionData: reactionData('projectUpdateId'),
  },
})

export const initiativeUpdates = entity('InitiativeUpdate', statusUpdate('Initiative'))
