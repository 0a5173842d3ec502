import { grantTables } from '@mcp-toolkits/emulator/oauth'
import { absent } from './absent.ts'
import { absentNotifications } from './absent-notifications.ts'
import { attachmentWrites } from './attachment-writes.ts'
import { attachments } from './attachments.ts'
import { basics } from './basics.ts'
import { comments } from './comments.ts'
import { cycles } from './cycles.ts'
import { initiativeWrites } from './initiative-writes.ts'
import { initiatives } from './initiatives.ts'
import { issueWrites } from './issue-writes.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { limits } from './limits.ts'
import type { Noun, Part, Resolver } from './noun.ts'
import { notificationWrites } from './notification-writes.ts'
import { notifications } from './notifications.ts'
import { organization } from './organization.ts'
import { projectPlans } from './project-plans.ts'
import { projectWrites } from './project-writes.ts'
import { projectUpdates } from './project-updates.ts'
import { projects } from './projects.ts'
import { relations } from './relations.ts'
import { states } from './states.ts'
import { talkWrites } from './talk-writes.ts'
import { tableOf } from './tables.ts'
import { teams } from './teams.ts'
import { users } from './users.ts'

const parts: readonly Part[] = [
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
export const nouns: ReadonlyMap<string, Noun> = new Map(parts.flatMap(({ nouns = [] }) => nouns.map((noun) => [noun.type, noun])))

/** The tables, one script per version. */
export const migrations: readonly string[] = [
  [
    ...[...nouns.values()].map(tableOf),
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
