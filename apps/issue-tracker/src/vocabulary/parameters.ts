import { type Vocabulary, withVocabulary, words } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import { elsewhere } from './elsewhere.ts'
import { textOf } from '../texts/documents.ts'
import * as values from './values.ts'

/** Callers' words for parameters. They lead to corrections, never directly to a call. */

/** The tool that lists what a parameter may refer to. */
const foundBy = (tool: string): Vocabulary => ({ lookup: { tool: `IssueTracker.${tool}` } })
const issueWords = words('issue ticket task card story bug item reference ref id ids identifier key')
const issue = { words: { key: issueWords, more: words('number public short or url link') }, ...foundBy('ListIssues') }
const project = { names: 'project_name slug slug_id id value name', ...foundBy('ListProjects') }
const initiative = { names: 'initiative_name slug id value name', ...foundBy('ListInitiatives') }
const states = 'status workflow_state issue_state issue_status column list_id list_name'
const text = 'body text content details markdown desc'
/** Names for labels that an update adds or removes, in any order. */
const added = { key: words('add added'), more: words('label labels tag id ids to') }
const keywords = 'query q search text term terms search_query search_term phrase contains filter title name'

/** Vocabularies by effect, by tool, by parameter, or by `effect.parameter` or `Tool.parameter` if these differ. Names that differ only by `id` or `name` need not be listed. */
const vocabulary: Readonly<Record<string, Vocabulary>> = {
  create: { idle: { internal: [false], is_internal: [false], private: [false], visibility: ['public'] } },
  read: { idle: { ...values.ordering, include_archived: [false], page: [1, '1'], page_number: [1, '1'], filter: ['default'] } },
  delete: { idle: { force: [] } },
  LinkCodeHostToIssue: { idle: { status: [], state: [] } },
  UpdateComment: { idle: { issue: [] } },
  keywords: { names: keywords, isWords: true },
  limit: { names: 'first max count max_count max_results page_size size per_page top take head n results number_of_results' },
  end_cursor: { names: 'after page_token next_page_token pagination_token page', fits: values.isCursor },
  created_after: { names: 'since from created_since after created_at_after created_gte newer_than created_at', fits: values.isSince },
  team: { names: 'project_key project board space board_key space_key list_id', fits: values.isTeamKey, ...foundBy('ListTeams') },
  state: { names: `${states} statuses states state_name project_state project_status`, fits: values.isNoTeamKey },
  status: { names: 'state initiative_state initiative_status', values: values.initiativeStates },
  state_type: { names: 'type state status category kind', values: values.stateTypes, read: values.readStateWord },
  target_state: { names: `${states} state to_state to target target_status list transition`, lookup: values.statesOf },
  assignee: { names: 'assigned_to assign_to owner user person responsible assigned_user assign account', fits: values.isPerson },
  lead: { names: 'owner project_lead lead_name manager', fits: values.isPerson },
  label: { names: 'tag tags issue_type' },
  labels_to_add: { names: 'labels label tags issue_type type severity', fits: values.isLabel, words: added },
  labels_to_remove: { words: { ...added, key: words('remove removed') } },
  fields_to_clear: { names: 'clear clear_fields unset unset_fields fields_to_unset', values: values.clearableFields, isClearing: true },
  project: { names: 'project_name projects epic', fits: values.isNoIssue, implies: values.impliedTeam },
  project_id: { ...project, ifMissing: ({ name }) => name && { project_id: name, name: null } },
  'ArchiveProject.project': project,
  initiative,
  initiative_id: { ...initiative, ifMissing: ({ name }) => name && { initiative_id: name, name: null } },
  cycle: { names: 'sprint iteration' },
  cycle_id: { names: 'id sprint value uuid', ...foundBy('ListCycles') },
  priority: { names: 'prio priority_level level importance urgency', values: values.priorities, read: values.readPriority },
  priorities: { names: 'priority', values: values.priorities, read: values.readPriority },
  title: { names: 'name summary subject issue_title headline new_name' },
  // A `project_name` next to an id only describes the project.
  name: { names: 'title new_name rename_to' },
  'CreateProject.name': { names: 'title project_name' },
  'CreateInitiative.name': { names: 'title initiative_name' },
  description: { names: `${text} summary`, implies: textOf('description') },
  'CreateIssue.description': { names: `${text} notes` },
  // A summary never replaces a whole text unasked. That of an issue is its title, as in Jira.
  'update.description': { fits: values.isNoSummary },
  body: { names: 'text comment content message markdown comment_body comment_text note reply update', implies: textOf('body') },
  parent_issue: { names: 'parent sub_issue_of epic', fits: values.isIssue, implies: values.impliedParent },
  estimate: { names: 'points story_points estimation size' },
  due_date: { names: 'due deadline due_on due_by due_at date' },
  start_date: { names: 'start starts_on begin_date starts_at' },
  target_date: { names: 'end_date due_date deadline target end due ends_on' },
  attachment_url: { names: 'url link attachment links attachments', read: values.readUrl, implies: values.impliedLink },
  issue,
  issue_id: issue,
  related_issue: { names: values.relatedNames },
  relation_type: { names: 'type relation relationship link_type kind', values: values.relationTypes },
  subscribe: { names: 'follow watch action operation mode', opposites: values.unsubscribing, values: values.subscriptions },
  comment_id: { names: 'comment id', fits: values.isId },
  parent_comment_id: { names: 'reply_to parent parent_comment in_reply_to comment comment_id', fits: values.isId },
  teams_to_add: { names: 'add_teams teams team add_team' },
  teams_to_remove: { names: 'remove_teams remove_team' },
  health: { names: 'project_health status health_status', values: values.health },
  code_host_url: { names: 'url link pull_request merge_request commit github pr', fits: values.isPage, implies: values.impliedPage },
  lookup_by: { names: 'by lookup type', values: values.lookups },
  days: {
    names: 'since from after',
    words: { key: words('days last period lookback window'), more: ['back', 'n'] },
    read: values.readDays,
  },
  unread_only: { names: 'unread', opposites: words('read is_read include_read all include_all show_all'), fits: values.isUnread },
  active_only: { names: 'active current_only status state type position sprint cycle', values: { active: true, current: true } },
  include_children: { names: 'children subissues subtasks with_children include_subissues include_subtasks include_sub_issues' },
  include_completed: { names: 'with_completed show_completed include_past' },
  'ListInitiatives.state': { values: values.initiativeStates, read: values.readStateWord },
  'ListTeams.keywords': { names: `${keywords} team` },
  'ListProjects.keywords': { names: `${keywords} project` },
  'ListInitiatives.keywords': { names: `${keywords} initiative` },
  'CreateProjectUpdate.body': { names: 'text update content message markdown status_update comment description' },
  // A list may also mean everything that the item should end up with.
  'UpdateProject.teams_to_add': { names: 'add_teams add_team' },
  'UpdateIssue.labels_to_add': { fits: values.isAddedLabel, implies: values.impliedLabels },
  'CreateProject.team': { names: 'project_key', fits: values.isSingle },
  'ListIssues.label': { names: 'tag tags issue_type severity', fits: values.isSingleLabel },
  'ListIssues.keywords': { fits: values.isNoFilter },
  'CreateIssueRelation.issue': { names: 'source source_issue from from_issue first_issue' },
  'ListWorkflowStates.team': { names: 'project_key project issue board', implies: values.teamOfIssue },
  'GetTeam.value': valueNames('team', ['id', 'key', 'name']),
  'GetProject.value': valueNames('project', ['id', 'slug_id', 'name']),
  'GetInitiative.value': valueNames('initiative', ['id', 'name']),
}

/** Adds a tool's vocabulary and its parameters'. In an update, a word for nothing could mean clearing a field. */
export function addVocabulary({ name, effect, input }: { name: string; effect: string; input: z.ZodObject }): void {
  const subject = /(?<=[a-z])[A-Z][a-z]+/.exec(name)?.[0].toLowerCase()
  const idle = { type: [subject], lookup_by: ['id', 'key', 'name'], ...vocabulary[effect]?.idle, ...vocabulary[name]?.idle }
  const isNothingAbsent = effect === 'read' || effect === 'create'
  const ownOf = (key: string) => ({ isNothingAbsent, ...included(key), ...vocabulary[key] })
  const mergedOf = (key: string) => ({ ...ownOf(key), ...vocabulary[`${effect}.${key}`], ...vocabulary[`${name}.${key}`] })
  const parameters = Object.fromEntries(Object.keys(input.shape).map((each) => [each, mergedOf(each)]))
  withVocabulary(input, { elsewhere: elsewhere(name, effect), ...vocabulary[effect], ...vocabulary[name], idle, parameters })
}

/** `comments`, `with_comments` and `show_comments` for `include_comments`. */
function included(parameter: string): Vocabulary {
  const part = /^include_(.*)/.exec(parameter)?.[1]
  return part === undefined ? {} : { names: `${part} with_${part} show_${part}` }
}

/** `key`, `team_key` and `team` for `value`, with the `lookup_by` that each implies. */
function valueNames(kind: string, columns: readonly string[]): Vocabulary {
  const byColumn = columns.flatMap((column) => [column, `${kind}_${column}`].map((name) => [name, { lookup_by: column }] as const))
  return { names: { ...Object.fromEntries<Record<string, string>>(byColumn), [kind]: {}, slug: {}, identifier: {}, query: {} } }
}
