import { stringAt } from '@mcp-toolkits/emulator'
import { create, type CrudHooks, entity } from '../engine/crud.ts'
import { type FieldResolver, ownOnly } from '../engine/entity-module.ts'
import { findIssue } from '../engine/input-values.ts'
import { inputOf } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'

const favoriteTargets = [
  'issue',
  'project',
  'cycle',
  'customView',
  'document',
  'initiative',
  'label',
  'projectLabel',
  'user',
  'customer',
  'release',
  'team',
]

/** Rules for favorites. A favorite's type says what kind of target it has. */
const hooks: CrudHooks = {
  defaults(_session, values) {
    const target = favoriteTargets.find((name) => typeof values[`${name}Id`] === 'string')
    const type =
      target ??
      (typeof values['folderName'] === 'string'
        ? 'folder'
        : typeof values['predefinedViewType'] === 'string'
          ? 'predefinedView'
          : undefined)
    if (type === undefined) throw badArgument('A favorite needs a target, such as issueId.')
    return { type }
  },
  beforeRemoval(session, row) {
    for (const child of session.select('Favorite', 'where a.parentId = :id', { id: stringAt(row, 'id') }))
      session.remove('Favorite', stringAt(child, 'id'))
  },
}

const favoriteKeys = [...favoriteTargets.map((name) => `${name}Id`), 'folderName', 'predefinedViewType']

/** Creates a favorite, or returns the existing one for the same entity. */
const favoriteCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const keys = favoriteKeys.filter((key) => typeof input[key] === 'string')
  if (keys.length > 1) throw badArgument(`A favorite has only one target, so it cannot have both ${keys.join(' and ')}.`)
  const [key] = keys
  const isIssue = key === 'issueId'
  const target = isIssue ? stringAt(findIssue(session, stringAt(input, 'issueId')), 'id') : key === undefined ? '' : stringAt(input, key)
  const sql = key === undefined || key === 'folderName' ? 'where false' : `where a.ownerId = :me and a.${key} = :target`
  const existing = session.select('Favorite', sql, sql === 'where false' ? {} : { me: session.viewerId, target })[0]
  return { favorite: existing ?? create(session, { type: 'Favorite', hooks, mutation: 'favoriteCreate' }, input) }
}

/** Deletes a favorite; succeeds even if it does not exist. */
const favoriteDelete: FieldResolver = (_, args, session) => {
  const found = session.find('Favorite', args['id'])
  if (found !== null) {
    hooks.beforeRemoval?.(session, found)
    session.remove('Favorite', stringAt(found, 'id'))
  }
  return { entityId: args['id'] }
}

const titleOf: FieldResolver = (source, _, session) => {
  if (typeof source['folderName'] === 'string') return source['folderName']
  const names: readonly (readonly [string, string, string])[] = [
    ['Issue', 'issueId', 'title'],
    ['Project', 'projectId', 'name'],
    ['Document', 'documentId', 'title'],
    ['CustomView', 'customViewId', 'name'],
    ['Initiative', 'initiativeId', 'name'],
    ['Cycle', 'cycleId', 'name'],
    ['IssueLabel', 'labelId', 'name'],
    ['User', 'userId', 'name'],
  ]
  return names.map(([type, key, name]) => session.find(type, source[key])?.[name]).find((name) => typeof name === 'string') ?? ''
}

export const favorites = entity('Favorite', {
  ...hooks,
  fields: { title: titleOf },
  queries: { favorites: ownOnly('Favorite', 'ownerId') },
  mutations: { favoriteCreate, favoriteDelete },
})
