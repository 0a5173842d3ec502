import { grantPeople, grantTables } from '@mcp-toolkits/emulator/oauth'
import { commonTypes } from './graphql/sdl.ts'
import type { EntityType } from './store/entity-type.ts'
import { createTable } from './store/tables.ts'
import { comments } from './discussion/comments.ts'
import { cycles } from './teams/cycles.ts'
import type { EntityModule, FieldResolver } from './engine/entity-module.ts'
import { initiatives } from './projects/initiatives.ts'
import { attachments, relations } from './issues/links.ts'
import { issueMutations } from './issues/mutations.ts'
import { issues, labels } from './issues/issues.ts'
import { laterMigrations } from './store/migrations.ts'
import { milestones } from './projects/milestones.ts'
import { notifications } from './inbox/notifications.ts'
import { organization, users } from './people/organization.ts'
import { projects, projectUpdates } from './projects/projects.ts'
import { stubTypes } from './graphql/stub-types.ts'
import { teams, workflowStates } from './teams/teams.ts'

/** The modules of the first version, whose tables one migration creates: databases have run it, so nothing may be added here. */
const firstModules: readonly EntityModule[] = [
  users,
  organization,
  teams,
  workflowStates,
  labels,
  issues,
  issueMutations,
  relations,
  comments,
  attachments,
  projects,
  milestones,
  projectUpdates,
  initiatives,
  cycles,
  notifications,
]

/** Modules that were added later. Their entities are records (`recordEntity`), which need no table. */
const laterModules: readonly EntityModule[] = []

const modules = [...firstModules, ...laterModules]
const definitions = [commonTypes, ...modules.map(({ sdl }) => sdl)].join('\n')
const definedTypes = new Set([...definitions.matchAll(/^(?:type|enum|interface|union) (\w+)/gm)].map(([, name]) => name))

/** The supported part of Linear's schema. */
export const sdl: string = [definitions, ...[...stubTypes].filter(([name]) => !definedTypes.has(name)).map(([, stub]) => stub)].join('\n')

/** The entity types by GraphQL type. */
export const entityTypes: ReadonlyMap<string, EntityType> = new Map(
  modules.flatMap((module) => (module.entityTypes ?? []).map((entityType) => [entityType.type, entityType])),
)

const createTables = (module: EntityModule) => [...(module.entityTypes ?? []).map(createTable), module.tables ?? ''].join('\n')

/** The tables, one script per version. */
export const migrations: readonly string[] = [
  [
    ...firstModules.map(createTables),
    'create table mutations (id integer primary key, at text not null, field text not null, entity text) strict;',
  ].join('\n'),
  grantTables,
  grantPeople,
  ...laterMigrations,
]

const resolvers: ReadonlyMap<string, FieldResolver> = new Map(
  modules.flatMap((module) =>
    Object.entries(module.resolvers).flatMap(([type, fields]) =>
      Object.entries(fields).map(([field, resolver]) => [`${type}.${field}`, resolver] as const),
    ),
  ),
)

/** The resolver of a field; undefined when the field is a column. */
export const resolverOf = (type: string, field: string): FieldResolver | undefined => resolvers.get(`${type}.${field}`)

/** The fields that have a resolver, as `Query.issue`. */
export const resolvedFields: readonly string[] = [...resolvers.keys()]
