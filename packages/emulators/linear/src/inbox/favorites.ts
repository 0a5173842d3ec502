import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { create, type CrudHooks, entity } from '../engine/crud.ts'
import { type FieldResolver, ownOnly } from '../engine/entity-module.ts'
import { findIssue } from '../engine/input-values.ts'
import { inputOf } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { fieldType } from '../vendor/declarations.ts'

/** Fields that can name the target of a favorite, which has only one. */
const targets = [
  ...['issueId', 'projectId', 'cycleId', 'customViewId', 'documentId', 'initiativeId', 'labelId', 'projectLabelId', 'userId', 'customerId'],
  ...['releaseId', 'teamId', 'folderName', 'predefinedViewType'],
]

const targetsIn = (values: JsonObject) => targets.filter((key) => typeof values[key] === 'string')

/** Rules for favorites. A favorite's type says what kind of target it has. */
const hooks: CrudHooks = {
  defaults(_session, values) {
    const [target] = targetsIn(values)
    if (target === undefined) throw badArgument('A favorite needs a target, such as issueId.')
    // `userId` is a target; the person who has the favorite is its owner.
    return { type: target.replace(/(?:Id|Name|Type)$/, ''), userId: null }
  },
  beforeRemoval(session, row) {
    for (const child of session.select('Favorite', 'where a.parentId = :id', { id: row.id })) session.remove('Favorite', child.id)
  },
}

/** Creates a favorite, or returns the existing one for the same entity. */
const favoriteCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const [key, ...others] = targetsIn(input)
  if (key !== undefined && others.length > 0)
    throw badArgument(`A favorite has only one target, so it cannot have both ${[key, ...others].join(' and ')}.`)
  const isFound = key !== undefined && key !== 'folderName'
  const target = key === 'issueId' ? findIssue(session, stringAt(input, key)).id : String(input[key ?? ''])
  const [existing] = isFound
    ? session.select('Favorite', `where a.ownerId = :me and a.${key} = :target`, { me: session.viewerId, target })
    : []
  return { favorite: existing ?? create(session, { type: 'Favorite', hooks, mutation: 'favoriteCreate' }, input) }
}

/** Deletes a favorite; succeeds even if it does not exist. */
const favoriteDelete: FieldResolver = (_, args, session) => {
  const found = session.find('Favorite', args['id'])
  if (found !== null) {
    hooks.beforeRemoval?.(session, found)
    session.remove('Favorite', found.id)
  }
  return { entityId: args['id'] }
}

/** Targets whose name or title is the favorite's title. */
const titled = ['issue', 'project', 'document', 'customView', 'initiative', 'cycle', 'label', 'user']

const titleOf: FieldResolver = (source, _, session) => {
  const found = titled.map((target) => session.find(fieldType('Favorite', target) ?? '', source[`${target}Id`]))
  const names = [source['folderName'], ...found.map((each) => each?.['name'] ?? each?.['title'])]
  return names.find((name) => typeof name === 'string') ?? ''
}

export const favorites = entity('Favorite', {
  ...hooks,
  fields: { title: titleOf },
  queries: { favorites: ownOnly('Favorite', 'ownerId') },
  mutations: { favoriteCreate, favoriteDelete },
})
