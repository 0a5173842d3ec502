import { parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { changeRow, type CrudHooks, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, manyToMany, toMany } from '../engine/entity-module.ts'
import { storedOr } from '../engine/fields.ts'
import { fieldName } from '../engine/records.ts'
import { badArgument } from '../errors.ts'
import { columnsOf, type Entity, type EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

const issueLabel: EntityType = {
  type: 'IssueLabel',
  table: 'labels',
  columns: columnsOf('name, description?, color, isGroup: integer, parentId?, teamId?, creatorId?, lastAppliedAt?'),
  indexes: ['teamId', 'parentId'],
  searched: ['name'],
}

/** Rules shared by labels of issues, projects and initiatives. */
const label = (type: string, beforeRemoval?: CrudHooks['beforeRemoval']): CrudHooks => ({
  defaults: () => ({ color: '#bec2c8', isGroup: false }),
  check(session, values, before) {
    const parentId = values['parentId'] ?? before?.['parentId'] ?? null
    const parent = parentId === null ? null : session.find(type, parentId)
    const id = before === undefined ? '' : before.id
    const isGroup = parent !== null && (parent.id === id || session.count(type, 'a.parentId = :id', { id }) > 0)
    if (isGroup || typeof parent?.['parentId'] === 'string') throw badArgument('A label group cannot be in another group.')
    const name = String(values['name'] ?? before?.['name'] ?? '')
    const isSame = (each: Entity) =>
      (each['parentId'] ?? null) === parentId && (each['teamId'] ?? null) === (values['teamId'] ?? before?.['teamId'] ?? null)
    const others = session
      .select(type, 'where lower(a.name) = lower(:name) and a.archivedAt is null', { name })
      .filter((each) => each.id !== before?.id)
    if (others.some(isSame)) throw badArgument(`A label with the name ${name} already exists.`)
    // A label becomes a group when it gets its first member.
    if (parent !== null) session.update(type, parent.id, { isGroup: true })
    return undefined
  },
  ...(beforeRemoval && { beforeRemoval }),
})

/** Retires a label, which stays wherever it is applied, or restores it. */
const setRetired =
  (type: string, isRetired: boolean): FieldResolver =>
  (_, args, session) => {
    const before = findRow(session, type, args['id'])
    const changes = { retiredAt: isRetired ? session.at : null, retiredById: isRetired ? session.viewerId : null }
    return { [fieldName(type)]: changeRow(session, { type, before, changes }) }
  }

const retirement = (type: string) => {
  const field = fieldName(type)
  return { [`${field}Retire`]: setRetired(type, true), [`${field}Restore`]: setRetired(type, false) }
}

/** The ids of a project's or initiative's labels. */
function labelIdsOf(session: Session, id: string): readonly string[] {
  const { labelIds } = session.extras(id)
  const list = typeof labelIds === 'string' ? parseJson(labelIds) : []
  return stringsIn(list)
}

/** Adds a label to a project or an initiative, or removes it. */
const setLabel =
  (type: 'Project' | 'Initiative', isAdded: boolean): FieldResolver =>
  (_, args, session) => {
    const row = findRow(session, type, args['id'])
    const chosen = findRow(session, `${type}Label`, args['labelId'])
    if (chosen['isGroup'] === 1) throw badArgument('labelId must not be a label group.')
    const [id, labelId] = [row.id, chosen.id]
    const others = labelIdsOf(session, id).filter((each) => each !== labelId)
    session.storeExtras(id, { labelIds: JSON.stringify(isAdded ? [...others, labelId] : others) })
    return { [type.toLowerCase()]: session.update(type, id, {}) }
  }

/** An issue's labels. */
export const labelsOfIssue = (session: Session, id: string) =>
  session.select('IssueLabel', 'where a.id in (select labelId from issueLabels where issueId = :id) order by a.id', { id })

/** True for a retired label. */
export const isRetired = ({ extras }: Session, label: Entity) => typeof extras(label.id)['retiredAt'] === 'string'

/** A project's or initiative's labels. */
export const labelsOf = (type: 'Project' | 'Initiative') =>
  ({
    labelIds: (source, _, session) => labelIdsOf(session, stringAt(source, 'id')),
    labels: (source, args, session) =>
      session.page(`${type}Label`, args, {
        where: 'a.id in (select value from json_each(:labels))',
        values: { labels: JSON.stringify(labelIdsOf(session, stringAt(source, 'id'))) },
      }),
  }) satisfies Readonly<Record<string, FieldResolver>>

/** Issue labels, and their groups. */
export const labels = entity(issueLabel, {
  ...label('IssueLabel', ({ store }, row) => {
    store.run('delete from issueLabels where labelId = :id', { id: row.id })
  }),
  tables: `create table issueLabels (issueId text not null, labelId text not null, primary key (issueId, labelId)) strict, without rowid;
create index issueLabels_label on issueLabels (labelId);`,
  fields: {
    groupType: storedOr('groupType', (source) => (source['isGroup'] === 1 ? 'singleSelect' : null)),
    children: toMany('IssueLabel', 'parentId'),
    issues: manyToMany('Issue', ['issueLabels', 'labelId', 'issueId']),
  },
  mutations: retirement('IssueLabel'),
})

export const projectLabels = entity('ProjectLabel', {
  ...label('ProjectLabel'),
  mutations: {
    ...retirement('ProjectLabel'),
    projectAddLabel: setLabel('Project', true),
    projectRemoveLabel: setLabel('Project', false),
  },
})

export const initiativeLabels = entity('InitiativeLabel', {
  ...label('InitiativeLabel'),
  mutations: {
    ...retirement('InitiativeLabel'),
    initiativeAddLabel: setLabel('Initiative', true),
    initiativeRemoveLabel: setLabel('Initiative', false),
  },
})
