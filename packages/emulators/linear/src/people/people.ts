import { type JsonObject, numberAt, stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { badArgument, notFound } from '../errors.ts'
import { inputOf, requiredText, requiredUrl, withoutUndefined } from '../engine/inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { requireAdmin } from './admins.ts'
import { changeRow, findRow, readInput } from '../engine/crud.ts'

const choices: Readonly<Record<string, readonly string[]>> = {
  pullRequestIssueMode: ['off', 'suggest', 'autoOnMerge'],
  slackProjectChannelPrefix: ['p-', 'proj-', 'project-'],
}

/** The least and the greatest value. Months and days begin with 0. */
const ranges: Readonly<Record<string, readonly [number, number]>> = {
  fiscalYearStartMonth: [0, 11],
  initiativeUpdateRemindersHour: [0, 23],
  projectUpdateRemindersHour: [0, 23],
  initiativeUpdateReminderFrequencyInWeeks: [0, 52],
  projectUpdateReminderFrequencyInWeeks: [0, 52],
}

/** Refuses values that the types of the input allow, and the vendor does not. */
function checkInput(input: JsonObject): void {
  const { urlKey, workingDays } = input
  const isGiven = (key: string) => input[key] !== undefined && input[key] !== null
  if (isGiven('name')) requiredText(input, 'name')
  if (isGiven('logoUrl')) requiredUrl(input, 'logoUrl')
  if (typeof urlKey === 'string' && !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(urlKey))
    throw badArgument('urlKey must consist of lower-case letters, digits and hyphens.')
  for (const [key, values] of Object.entries(choices))
    if (isGiven(key) && !values.includes(stringAt(input, key))) throw badArgument(`${key} must be one of ${values.join(', ')}.`)
  for (const [key, [least, greatest]] of Object.entries(ranges))
    if (isGiven(key) && !isWithin(numberAt(input, key), least, greatest))
      throw badArgument(`${key} must be a whole number from ${least} to ${greatest}.`)
  if (Array.isArray(workingDays) && !workingDays.every((day) => isWithin(Number(day), 0, 6)))
    throw badArgument('each value in workingDays must be a whole number from 0 to 6.')
}

const isWithin = (value: number, least: number, greatest: number) => Number.isInteger(value) && value >= least && value <= greatest

const organizationUpdate: FieldResolver = (_, args, session) => {
  requireAdmin(session)
  const before = session.select('Organization', 'limit 1')[0]
  if (before === undefined) throw notFound('Organization')
  const input = inputOf(args)
  checkInput(input)
  const changes = withoutUndefined(readInput(session, { mutation: 'organizationUpdate', type: 'Organization', input }))
  return { organization: changeRow(session, { type: 'Organization', before, changes }) }
}

const userUpdate: FieldResolver = (_, args, session) => {
  const reference = stringAt(args, 'id')
  const before = session.get('User', reference === 'me' ? session.viewerId : reference)
  if (before['id'] !== session.viewerId) requireAdmin(session)
  const changes = withoutUndefined(readInput(session, { mutation: 'userUpdate', type: 'User', input: inputOf(args) }))
  const { displayName } = changes
  if (
    typeof displayName === 'string' &&
    session.count('User', 'a.displayName = :displayName and a.id <> :id', { displayName, id: stringAt(before, 'id') }) > 0
  )
    throw badArgument('displayName is already in use by another user.')
  return { user: changeRow(session, { type: 'User', before, changes }) }
}

const changeUser =
  (changes: (args: JsonObject) => Changes): FieldResolver =>
  (_, args, session) => {
    requireAdmin(session)
    const before = findRow(session, 'User', args['id'])
    if (before['id'] === session.viewerId) throw badArgument('You cannot do this to yourself.')
    session.update('User', stringAt(before, 'id'), changes(args))
    return {}
  }

/** The settings of the caller, which exist from the beginning. */
function settingsOf(session: Session): EntityRow {
  const found = session.select('UserSettings', 'where a.userId = :me', { me: session.viewerId })[0]
  return found ?? { id: session.viewerId, userId: session.viewerId, createdAt: session.at, updatedAt: session.at, archivedAt: null }
}

const userSettingsUpdate: FieldResolver = (_, args, session) => {
  const changes = withoutUndefined(readInput(session, { mutation: 'userSettingsUpdate', type: 'UserSettings', input: inputOf(args) }))
  const before = session.select('UserSettings', 'where a.userId = :me', { me: session.viewerId })[0]
  const userSettings = before
    ? session.update('UserSettings', stringAt(before, 'id'), changes)
    : session.insert('UserSettings', { ...changes, id: `${session.viewerId.slice(0, 35)}0`, userId: session.viewerId })
  return { userSettings }
}

/** The workspace, its people and their settings. */
export const organizationOperations: readonly Resolvers[] = [
  {
    Query: {
      userSettings: (_source, _args, session) => settingsOf(session),
      organizationExists: (_, args, session) => ({
        exists: session.select('Organization', 'where a.urlKey = :key', { key: stringAt(args, 'urlKey') }).length > 0,
        success: true,
      }),
    },
    Mutation: {
      userUpdate,
      userSuspend: changeUser(() => ({ active: false })),
      userUnsuspend: changeUser(() => ({ active: true })),
      userChangeRole: changeUser(({ role }) => ({
        admin: role === 'admin' || role === 'owner',
        owner: role === 'owner',
        guest: role === 'guest',
      })),
      userSettingsUpdate,
      organizationUpdate,
    },
  },
]
