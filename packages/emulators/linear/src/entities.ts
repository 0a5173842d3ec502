import { grantPeople, grantTables } from '@mcp-toolkits/emulator/oauth'
import { customerNeeds, customers, customerStatuses, customerTiers } from './customers/customers.ts'
import { attachments } from './discussion/attachments.ts'
import { comments } from './discussion/comments.ts'
import { documents } from './discussion/documents.ts'
import { entity } from './engine/crud.ts'
import type { EntityModule, FieldResolver } from './engine/entity-module.ts'
import { searchResults } from './engine/fields.ts'
import { recordType } from './engine/records.ts'
import { favorites } from './inbox/favorites.ts'
import { notifications } from './inbox/notifications.ts'
import { subscriptions } from './inbox/subscriptions.ts'
import { templates, views } from './inbox/views.ts'
import { histories } from './issues/history.ts'
import { issues } from './issues/issues.ts'
import { initiativeLabels, labels, projectLabels } from './issues/labels.ts'
import { reactions } from './issues/reactions.ts'
import { relations } from './issues/relations.ts'
import { organization } from './people/organization.ts'
import { users } from './people/users.ts'
import { initiativeRelations, initiatives, projectLinks, roadmapLinks } from './projects/initiatives.ts'
import { milestones, projectStatuses } from './projects/milestones.ts'
import { projectRelations, projects } from './projects/projects.ts'
import { releasePipelines, releases } from './projects/releases.ts'
import { initiativeUpdates, projectUpdates } from './projects/updates.ts'
import { searches } from './search/search.ts'
import type { EntityType, EntityTypes } from './store/entity-type.ts'
import { laterMigrations } from './store/migrations.ts'
import { createTable } from './store/tables.ts'
import { cycles } from './teams/cycles.ts'
import { memberships } from './teams/memberships.ts'
import { workflowStates } from './teams/states.ts'
import { teams } from './teams/teams.ts'
import { uploads } from './uploads/uploads.ts'
import { fieldsOf } from './vendor/declarations.ts'
import { webhooks } from './webhooks/webhooks.ts'

/** The first version's modules, whose tables one migration creates: existing databases have run it, so nothing may be added here. */
const firstModules: readonly EntityModule[] = [
  users,
  organization,
  teams,
  workflowStates,
  labels,
  issues,
  relations,
  comments,
  attachments,
  projects,
  projectStatuses,
  milestones,
  projectUpdates,
  initiatives,
  projectLinks,
  cycles,
  notifications,
]

/** Entities stored as JSON or read from other tables, so they need none of their own. */
const laterModules: readonly EntityModule[] = [
  customerNeeds,
  customers,
  customerStatuses,
  customerTiers,
  documents,
  favorites,
  histories,
  initiativeLabels,
  initiativeRelations,
  initiativeUpdates,
  memberships,
  projectLabels,
  projectRelations,
  reactions,
  releasePipelines,
  releases,
  roadmapLinks,
  searches,
  subscriptions,
  templates,
  uploads,
  views,
  webhooks,
]

/** Entities whose behaviour follows entirely from the vendor's schema. */
const plainEntities = [
  'EmailIntakeAddress',
  'Emoji',
  'EntityExternalLink',
  'GitAutomationState',
  'GitAutomationTargetBranch',
  'IssueToRelease',
  'OrganizationInvite',
  'ReleaseNote',
  'ReleaseStage',
  'Roadmap',
  'TimeSchedule',
  'TriageResponsibility',
  'ViewPreferences',
]

const modules = [...firstModules, ...laterModules, ...plainEntities.map((type) => entity(type))]

const tables: ReadonlyMap<string, EntityType> = new Map(
  modules.flatMap(({ entityTypes: own = [] }) => own.map((entityType) => [entityType.type, entityType])),
)
/** Types stored as JSON. */
export const recordTypes: ReadonlySet<string> = new Set(modules.flatMap(({ records: own = [] }) => own))
const records = new Map<string, EntityType>()

/** Entity types by GraphQL type. Record types are read from the vendor's schema on first use. */
export const entityTypes: EntityTypes = {
  get(type) {
    const known = tables.get(type) ?? records.get(type)
    if (known !== undefined || !recordTypes.has(type)) return known
    const derived = recordType(type)
    records.set(type, derived)
    return derived
  },
}

const createTables = (module: EntityModule) => [...(module.entityTypes ?? []).map(createTable), module.tables ?? ''].join('\n')

/** Scripts that create the tables, one per version. */
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

/** A field's resolver; undefined if the field is a column, or a query or mutation that is not emulated. */
export const resolverOf = (type: string, field: string): FieldResolver | undefined =>
  resolvers.get(`${searchResults.get(type) ?? type}.${field}`)

/** Every emulated query and mutation, in the form `Query.issue`. */
export const behaviors = (): ReadonlySet<string> =>
  new Set(
    ['Query', 'Mutation']
      .flatMap((kind) => [...fieldsOf(kind).keys()].map((field) => `${kind}.${field}`))
      .filter((key) => resolvers.has(key)),
  )
