import { type JsonObject, numberAt, stringAt } from '@mcp-toolkits/emulator'
import { text } from '@mcp-toolkits/sqlite'
import { entity } from '../engine/crud.ts'
import { type FieldResolver, manyToMany, scopedTo, toMany } from '../engine/entity-module.ts'
import { optionalObject } from '../engine/inputs.ts'
import { slugify } from '../ids.ts'
import { usersWithin } from '../people/users.ts'
import { columnsOf, type EntityType, flagFilter, joinFilter, manyFilter, type SqlExpression } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { history } from './history.ts'
import { labelsOfIssue } from './labels.ts'
import { issueBehavior } from './mutations.ts'
import { reactionData } from './reactions.ts'

/** Condition that an issue is at one of the given ends of a relation of the given type. */
const hasRelation =
  (type: string, ends: readonly string[]): SqlExpression =>
  (alias) =>
    `(exists (select 1 from relations r where r.type = '${type}' and ${alias}.id in (${ends.map((end) => `r.${end}`).join(', ')})))`

const issue: EntityType = {
  type: 'Issue',
  table: 'issues',
  columns: columnsOf(`
    teamId, number: integer, identifier, title, description?, priority: integer, estimate?: real, dueDate?, stateId, assigneeId?,
    delegateId?, creatorId?, projectId?, projectMilestoneId?, cycleId?, parentId?, startedAt?, completedAt?, canceledAt?, triagedAt?,
    addedToCycleAt?, addedToProjectAt?, addedToTeamAt?, trashed?: integer, sortOrder: real
  `),
  laterColumns: ['delegateId'],
  indexes: ['teamId', 'assigneeId', 'creatorId', 'projectId', 'cycleId', 'parentId', 'stateId'],
  uniques: ['teamId, number', 'identifier'],
  searched: ['title', 'description'],
  filters: {
    children: manyFilter('Issue', 'parentId'),
    labels: joinFilter('IssueLabel', ['issueLabels', 'issueId', 'labelId']),
    subscribers: joinFilter('User', ['issueSubscribers', 'issueId', 'userId']),
    comments: manyFilter('Comment', 'issueId'),
    attachments: manyFilter('Attachment', 'issueId'),
    hasBlockedByRelations: flagFilter(hasRelation('blocks', ['relatedIssueId'])),
    hasBlockingRelations: flagFilter(hasRelation('blocks', ['issueId'])),
    hasDuplicateRelations: flagFilter(hasRelation('duplicate', ['issueId', 'relatedIssueId'])),
    hasRelatedRelations: flagFilter(hasRelation('related', ['issueId', 'relatedIssueId'])),
  },
}

/** The URL of an issue, or of a place on its page. */
export const issueUrl = ({ pageUrl }: Session, issue: JsonObject, place = ''): string =>
  pageUrl(`/issue/${stringAt(issue, 'identifier')}/${slugify(stringAt(issue, 'title'))}${place}`)

/** The labels of the priorities 0 to 4. */
export const priorityLabels = ['No priority', 'Urgent', 'High', 'Medium', 'Low']

const issueVcsBranchSearch: FieldResolver = (_, args, session) => {
  const identifier = /\b[a-z][a-z0-9]*-\d+/i.exec(stringAt(args, 'branchName'))?.[0].toUpperCase()
  return identifier === undefined ? null : (session.select('Issue', 'where a.identifier = :identifier', { identifier })[0] ?? null)
}

/** Filter for issues whose title or description contains each word, and that match another filter. */
export const containingWords = (words: readonly string[], filter: unknown) => ({
  and: [
    ...words.map((word) => ({ or: [{ title: { containsIgnoreCase: word } }, { description: { containsIgnoreCase: word } }] })),
    optionalObject(filter),
  ],
})

export const issues = entity(issue, {
  ...issueBehavior,
  tables: `create table formerIdentifiers (identifier text primary key, issueId text not null) strict;
create table issueSubscribers (issueId text not null, userId text not null, primary key (issueId, userId)) strict, without rowid;`,
  fields: {
    url: (source, _, session) => issueUrl(session, source),
    priorityLabel: (source) => priorityLabels[numberAt(source, 'priority')],
    previousIdentifiers(source, _, { store }) {
      const sql = 'select identifier from formerIdentifiers where issueId = :id order by rowid'
      return store.rows({ identifier: text }, sql, { id: stringAt(source, 'id') }).map(({ identifier }) => identifier)
    },
    branchName(source, _, session) {
      const author = stringAt(session.get('User', session.viewerId), 'displayName')
      return `${author}/${stringAt(source, 'identifier').toLowerCase()}-${slugify(stringAt(source, 'title'))}`
    },
    labelIds: (source, _, session) => labelsOfIssue(session, stringAt(source, 'id')).map((label) => label.id),
    sharedAccess: () => ({ disallowedIssueFields: [], sharedWithUsers: [] }),
    children: toMany('Issue', 'parentId'),
    labels: manyToMany('IssueLabel', ['issueLabels', 'issueId', 'labelId']),
    inverseRelations: toMany('IssueRelation', 'relatedIssueId'),
    subscribers: (source, args, session) =>
      usersWithin(session, args, scopedTo('a.id in (select userId from issueSubscribers where issueId = :owner)', stringAt(source, 'id'))),
    reactionData: reactionData('issueId'),
    history,
  },
  queries: {
    issuePriorityValues: () => priorityLabels.map((label, priority) => ({ priority, label })),
    issueVcsBranchSearch,
    issueSearch(_, args, session) {
      const { query, filter, ...rest } = args
      const words = typeof query === 'string' ? query.split(/\s+/).filter(Boolean) : []
      return session.page('Issue', { ...rest, filter: containingWords(words, filter) })
    },
  },
})
