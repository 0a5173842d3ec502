import { type JsonObject, parseJson, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { findIssue } from './issues.ts'
import { badArgument } from '../errors.ts'
import { optionalObject } from '../engine/inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { extrasOf, fieldName, storeExtras } from '../engine/records.ts'
import { changeRow, findRow, type CrudHooks, crudOperations } from '../engine/crud.ts'

/** Rules that labels of issues, projects and initiatives share. */
const label = (type: string, beforeRemoval?: CrudHooks['beforeRemoval']): CrudHooks => ({
  defaults: () => ({ color: '#bec2c8', isGroup: false }),
  check(session, values, before) {
    const parentId = values['parentId'] ?? before?.['parentId'] ?? null
    const parent = parentId === null ? null : session.find(type, parentId)
    if (typeof parent?.['parentId'] === 'string') throw badArgument('A group of labels cannot be in a group.')
    const name = String(values['name'] ?? before?.['name'] ?? '')
    const isSame = (each: EntityRow) =>
      (each['parentId'] ?? null) === parentId && (each['teamId'] ?? null) === (values['teamId'] ?? before?.['teamId'] ?? null)
    const others = session
      .select(type, 'where lower(a.name) = lower(:name) and a.archivedAt is null', { name })
      .filter((each) => each['id'] !== before?.['id'])
    if (others.some(isSame)) throw badArgument(`A label with the name ${name} already exists.`)
    // A label becomes a group with its first member.
    if (parent !== null) session.update(type, stringAt(parent, 'id'), { isGroup: true })
    return undefined
  },
  ...(beforeRemoval && { beforeRemoval }),
})

/** Retires a label, which stays on everything that has it, or restores it. */
const setRetired =
  (type: string, isRetired: boolean): FieldResolver =>
  (_, args, session) => {
    const before = findRow(session, type, args['id'])
    const changes = { retiredAt: isRetired ? session.at : null, retiredById: isRetired ? session.viewerId : null }
    return { [fieldName(type)]: changeRow(session, { type, before, changes }) }
  }

const retirement = (type: string) => {
  const field = fieldName(type)
  return { Mutation: { [`${field}Retire`]: setRetired(type, true), [`${field}Restore`]: setRetired(type, false) } }
}

/** The ids of the labels of a project or initiative. */
function labelIdsOf(session: Session, id: string): readonly string[] {
  const { labelIds } = extrasOf(session.store, id)
  const list = typeof labelIds === 'string' ? parseJson(labelIds) : []
  return stringsIn(list)
}

/** Adds a label to a project or an initiative, or removes it. */
const setLabel =
  (type: 'Project' | 'Initiative', isAdded: boolean): FieldResolver =>
  (_, args, session) => {
    const row = findRow(session, type, args['id'])
    const chosen = findRow(session, `${type}Label`, args['labelId'])
    if (chosen['isGroup'] === 1) throw badArgument('labelId must not be a group of labels.')
    const [id, labelId] = [stringAt(row, 'id'), stringAt(chosen, 'id')]
    const others = labelIdsOf(session, id).filter((each) => each !== labelId)
    storeExtras(session.store, id, { at: session.at, fields: { labelIds: JSON.stringify(isAdded ? [...others, labelId] : others) } })
    return { [type.toLowerCase()]: session.update(type, id, {}) }
  }

/** Refuses labels of an input of an issue that are retired, unless the issue has them already. */
export function refuseRetiredLabels(session: Session, { id, labelId, input }: JsonObject): void {
  const { labelIds, addedLabelIds } = optionalObject(input)
  const given = [labelId, ...[labelIds, addedLabelIds].flatMap((list) => (Array.isArray(list) ? stringsIn(list) : []))]
  const retired = given.filter((each) => typeof each === 'string').filter((each) => isRetired(session, each))
  if (retired.length === 0) return
  const issueId = typeof id === 'string' ? stringAt(findIssue(session, id), 'id') : ''
  const present = session.select('IssueLabel', 'where a.id in (select labelId from issueLabels where issueId = :issueId)', { issueId })
  const refused = retired.find((each) => present.every((label) => label['id'] !== each))
  if (refused !== undefined)
    throw badArgument(`The label '${stringAt(session.get('IssueLabel', refused), 'name')}' is retired and cannot be applied.`)
}

const isRetired = (session: Session, id: string) => typeof extrasOf(session.store, id)['retiredAt'] === 'string'

/** The labels of a project or an initiative. */
const labelsOf = (type: 'Project' | 'Initiative') =>
  ({
    labelIds: (source, _, session) => labelIdsOf(session, stringAt(source, 'id')),
    labels: (source, args, session) =>
      session.page(`${type}Label`, args, {
        where: 'a.id in (select value from json_each(:labels))',
        values: { labels: JSON.stringify(labelIdsOf(session, stringAt(source, 'id'))) },
      }),
  }) satisfies Readonly<Record<string, FieldResolver>>

/** Labels of issues, projects and initiatives. */
export const labelOperations: readonly Resolvers[] = [
  crudOperations(
    'IssueLabel',
    label('IssueLabel', ({ store }, row) => {
      store.run('delete from issueLabels where labelId = :id', { id: stringAt(row, 'id') })
    }),
  ),
  crudOperations('ProjectLabel', label('ProjectLabel')),
  crudOperations('InitiativeLabel', label('InitiativeLabel')),
  retirement('IssueLabel'),
  retirement('ProjectLabel'),
  retirement('InitiativeLabel'),
  {
    Mutation: {
      projectAddLabel: setLabel('Project', true),
      projectRemoveLabel: setLabel('Project', false),
      initiativeAddLabel: setLabel('Initiative', true),
      initiativeRemoveLabel: setLabel('Initiative', false),
    },
    Project: labelsOf('Project'),
    Initiative: labelsOf('Initiative'),
  },
]
