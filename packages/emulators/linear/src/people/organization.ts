import { type JsonObject, numberAt, stringAt } from '@mcp-toolkits/emulator'
import { changeRow } from '../engine/crud.ts'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { readInput } from '../engine/input-values.ts'
import { inputOf, requiredText, requiredUrl } from '../engine/inputs.ts'
import { badArgument, notFound } from '../errors.ts'
import type { EntityType } from '../store/entity-type.ts'
import { visibleTeams } from '../teams/teams.ts'
import { requireAdmin } from './admins.ts'
import { usersWithin } from './users.ts'

const organizationType: EntityType = {
  type: 'Organization',
  table: 'organizations',
  columns: { name: 'text', urlKey: 'text' },
  searched: ['name'],
}

const choices: Readonly<Record<string, readonly string[]>> = {
  pullRequestIssueMode: ['off', 'suggest', 'autoOnMerge'],
  slackProjectChannelPrefix: ['p-', 'proj-', 'project-'],
}

/** Minimum and maximum values. Months and days start at 0. */
const ranges: Readonly<Record<string, readonly [number, number]>> = {
  fiscalYearStartMonth: [0, 11],
  initiativeUpdateRemindersHour: [0, 23],
  projectUpdateRemindersHour: [0, 23],
  initiativeUpdateReminderFrequencyInWeeks: [0, 52],
  projectUpdateReminderFrequencyInWeeks: [0, 52],
}

/** Refuses values that the input's types allow but the vendor does not. */
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
  const changes = readInput(session, { mutation: 'organizationUpdate', type: 'Organization', input })
  return { organization: changeRow(session, { type: 'Organization', before, changes }) }
}

/** The workspace, and the caller's rate limits. */
export const organization: EntityModule = {
  entityTypes: [organizationType],
  resolvers: {
    Organization: {
      userCount: (_source, _args, session) => session.count('User', 'a.active = 1'),
      createdIssueCount: (_source, _args, session) => session.count('Issue', 'true'),
      projectStatuses: (_source, _args, session) => session.select('ProjectStatus', 'where a.archivedAt is null order by a.position'),
      labels: (_, args, session) => session.page('IssueLabel', args, { where: 'a.teamId is null', values: {} }),
      teams: visibleTeams,
      users: (_, args, session) => usersWithin(session, args),
    },
    Query: {
      organization: (_source, _args, session) => session.select('Organization', 'limit 1')[0],
      organizationExists: (_, args, session) => ({
        exists: session.select('Organization', 'where a.urlKey = :key', { key: stringAt(args, 'urlKey') }).length > 0,
        success: true,
      }),
      rateLimitStatus: (_source, _args, session) => ({ identifier: session.viewerId, kind: 'user', limits: session.rateLimits() }),
    },
    Mutation: { organizationUpdate },
  },
}
