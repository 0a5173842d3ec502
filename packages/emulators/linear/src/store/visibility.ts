import { type Store, text } from '@mcp-toolkits/sqlite'
import type { Entity, EntityType, EntityTypes } from './entity-type.ts'

/** Types of the entities that an entity is part of, by the column with their id. Hiding any of these also hides the entity. */
const wholes: Readonly<Record<string, string | readonly string[]>> = {
  attachmentId: 'Attachment',
  commentId: 'Comment',
  customViewId: 'CustomView',
  cycleId: 'Cycle',
  documentId: 'Document',
  // Content has the id of the entity that it describes.
  documentContentId: ['Document', 'Initiative', 'Issue', 'Project'],
  issueId: 'Issue',
  labelId: 'IssueLabel',
  projectId: 'Project',
  projectMilestoneId: 'ProjectMilestone',
  projectUpdateId: 'ProjectUpdate',
  relatedIssueId: 'Issue',
  relatedProjectId: 'Project',
  teamId: 'Team',
}

/** The types of the containing entities to which a column's ids refer. */
export const wholeTypes = (column: string): readonly string[] => [wholes[column] ?? []].flat()

/** The entities that a row is directly part of, as far as `find` finds them. */
export const wholesOf = (row: Entity, find: (type: string, id: unknown) => Entity | null) =>
  Object.keys(wholes).flatMap((column) =>
    wholeTypes(column).flatMap((type) => {
      const found = find(type, row[column])
      return found === null ? [] : [{ type, row: found }]
    }),
  )

/** Exceptions: an issue is hidden only by its team; a webhook is never hidden. */
const parts: Readonly<Record<string, readonly string[]>> = { Issue: ['teamId'], Webhook: [] }

/** Types that workspace owners administer in every team. */
const administered: ReadonlySet<string> = new Set(['Team', 'TeamMembership'])

/** Entity types as one user sees them: tables without the rows of private teams that the user cannot see. */
export interface VisibleTypes extends EntityTypes {
  /** The ids of the teams whose content the user cannot see. */
  readonly hiddenTeams: () => readonly string[]
  /** Forgets which teams are hidden. */
  readonly forget: () => void
}

export function visibleTypes(store: Store, entityTypes: EntityTypes, userId: string): VisibleTypes {
  let hidden: readonly string[] | undefined
  const limited = new Map<string, EntityType>()
  const hiddenTeams = () => (hidden ??= readHiddenTeams(store, userId))
  return {
    get(type) {
      const found = entityTypes.get(type)
      if (found === undefined || hiddenTeams().length === 0) return found
      const known =
        limited.get(type) ?? (administered.has(type) && isOwner(store, userId) ? found : limit(entityTypes, found, hiddenTeams()))
      limited.set(type, known)
      return known
    },
    hiddenTeams,
    forget() {
      hidden = undefined
      limited.clear()
    },
  }
}

/** Private teams that the user is not in, and teams inside them that the user is not in either. */
const hiddenTeamsSql = `with recursive mine(id) as (select teamId from teamMembers where userId = :userId),
  hidden(id) as (
    select id from teams where private = 1 and id not in mine
    union select t.id from teams t join hidden h on t.parentId = h.id where t.id not in mine
  ) select id from hidden`

/** The ids of the teams whose content a user cannot see. */
export const readHiddenTeams = (store: Store, userId: string): readonly string[] =>
  store.rows({ id: text }, hiddenTeamsSql, { userId }).map(({ id }) => id)

const isOwner = (store: Store, id: string) => store.rows({}, 'select 1 from users where id = :id and owner = 1', { id }).length > 0

/** An entity type without the rows that belong to these teams. */
function limit(entityTypes: EntityTypes, entityType: EntityType, teams: readonly string[]): EntityType {
  const list = teams.map((id) => `'${id.replaceAll("'", "''")}'`).join(', ')
  const hides = hiding(entityTypes, entityType, { alias: 'v', list })
  return hides === undefined ? entityType : { ...entityType, table: `(select v.* from ${entityType.table} v where not ${hides})` }
}

/** The condition that the row called `alias` belongs to one of the teams; undefined for types that belong to no team. */
function hiding(
  entityTypes: EntityTypes,
  { type, columns }: EntityType,
  { alias, list }: { readonly alias: string; readonly list: string },
): string | undefined {
  if (type === 'Team') return `(${alias}.id in (${list}))`
  // A project is hidden only if all its teams are.
  if (type === 'Project') return `((select min(teamId in (${list})) from projectTeams where projectId = ${alias}.id) is 1)`
  const conditions = (parts[type] ?? Object.keys(wholes).filter((name) => name in columns)).flatMap((name) => {
    // Not every row has a team.
    if (wholes[name] === 'Team') return [`coalesce(${alias}.${name} in (${list}), 0)`]
    const other = `${alias}_${name}`
    return wholeTypes(name).flatMap((each) => {
      // A document has a column for its own content.
      const whole = each === type ? undefined : entityTypes.get(each)
      const hides = whole && hiding(entityTypes, whole, { alias: other, list })
      return hides ? [`exists (select 1 from ${whole.table} ${other} where ${other}.id = ${alias}.${name} and ${hides})`] : []
    })
  })
  return conditions.length === 0 ? undefined : `(${conditions.join(' or ')})`
}
