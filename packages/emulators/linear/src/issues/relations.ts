import { stringAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity } from '../engine/crud.ts'
import { badArgument } from '../errors.ts'
import type { EntityType } from '../store/entity-type.ts'
import { stateChanges } from './mutations.ts'

const relation: EntityType = {
  type: 'IssueRelation',
  table: 'relations',
  columns: { type: 'text', issueId: 'text', relatedIssueId: 'text' },
  indexes: ['issueId', 'relatedIssueId'],
}

const types = ['blocks', 'duplicate', 'related', 'similar']

/** Rules for relations. The issue blocks or duplicates the related issue; a duplicate moves to its team's duplicate state. */
const hooks: CrudHooks = {
  check(_session, values, before) {
    const { type } = values
    if ((values['issueId'] ?? before?.['issueId']) === (values['relatedIssueId'] ?? before?.['relatedIssueId']))
      throw badArgument('relatedIssueId must be another issue.')
    if (typeof type === 'string' && !types.includes(type)) throw badArgument(`type must be one of ${types.join(', ')}.`)
    return undefined
  },
  afterCreate(session, row) {
    if (row['type'] !== 'duplicate') return row
    const issue = session.get('Issue', stringAt(row, 'issueId'))
    const state = session.find('WorkflowState', session.get('Team', stringAt(issue, 'teamId'))['markedAsDuplicateWorkflowStateId'])
    if (state !== null) session.update('Issue', issue.id, stateChanges(session, issue, state))
    return row
  },
}

export const relations = entity(relation, hooks)
