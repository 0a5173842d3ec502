import { grantTables } from '@mcp-toolkits/emulator/oauth'
import { absent, absentNotifications } from './stub-types.ts'
import { attachments, attachmentWrites } from './attachments.ts'
import { basics } from '../graphql/sdl.ts'
import { comments, talkWrites } from './comments.ts'
import { cycles } from './cycles.ts'
import { initiatives, initiativeWrites } from './initiatives.ts'
import { issueWrites } from './issue-mutations.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { limits, organization } from './organization.ts'
import { type EntityType } from '../store/entity-type.ts'
import { type EntityModule, type Resolver } from './entity-module.ts'
import { notifications, notificationWrites } from './notifications.ts'
import { projectPlans } from './milestones.ts'
import { projects, projectWrites } from './projects.ts'
import { projectUpdates } from './project-updates.ts'
import { relations } from './relations.ts'
import { states, teams } from './teams.ts'
import { tableOf } from '../store/tables.ts'
import { users } from './users.ts'

const parts: readonly EntityModule[] = [
  basics,
  users,
  organization,
  teams,
  states,
  labels,
  issues,
  relations,
  comments,
  attachments,
  projects,
  projectPlans,
  projectUpdates,
  initiatives,
  cycles,
  notifications,
  issueWrites,
  talkWrites,
  attachmentWrites,
  projectWrites,
  initiativeWrites,
  notificationWrites,
  limits,
  absent,
  absentNotifications,
]

/** The part of Linear's schema that is served here. */
export const sdl: string = parts.map((part) => part.sdl).join('\n')

/** What has a table, by GraphQL type. */
export const entityTypes: ReadonlyMap<string, EntityType> = new Map(
  parts.flatMap(({ entityTypes: nouns = [] }) => nouns.map((noun) => [noun.type, noun])),
)

/** The tables, one script per version. */
export const migrations: readonly string[] = [
  [
    ...[...entityTypes.values()].map(tableOf),
    ...parts.map(({ tables = '' }) => tables),
    'create table mutations (id integer primary key, at text not null, field text not null, entity text) strict;',
  ].join('\n'),
  grantTables,
]

const resolvers: ReadonlyMap<string, Resolver> = new Map(
  parts.flatMap((part) =>
    Object.entries(part.resolvers).flatMap(([type, fields]) =>
      Object.entries(fields).map(([field, resolver]) => [`${type}.${field}`, resolver] as const),
    ),
  ),
)

/** The resolver of a field, where it is not the column of its name. */
export const resolverOf = (type: string, field: string): Resolver | undefined => resolvers.get(`${type}.${field}`)
