import { type Vocabulary, withVocabulary, words } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { elsewhere } from './elsewhere.ts'
import * as values from './values.ts'

/** Callers' words for parameters. They lead to corrections, never directly to a call. */

const issue = {
  names: words('issue issue_id id identifier issue_identifier issue_key key ticket ticket_id task task_id issue_number'),
  lookup: { tool: 'IssueTracker.ListIssues' },
}
const project = { names: words('project project_id project_name project_slug') }
const targetProject = {
  names: words('project project_id project_name project_slug slug slug_id id value name'),
  lookup: { tool: 'IssueTracker.ListProjects' },
}
const initiative = {
  names: words('initiative initiative_id initiative_name slug id value name'),
  lookup: { tool: 'IssueTracker.ListInitiatives' },
}
const summary = { names: words('summary body text content details markdown desc') }
/**
 * Other names for the values that an update sets. `project_name` next to an id only describes the project, while `comment` or `note` is
 * an addition.
 */
const newName = { names: words('title new_name new_title rename_to') }
const newText = { names: words('body text content details markdown desc summary new_description') }
/** Names for labels that an update adds or removes, in any order. */
const added = { key: words('add added'), more: words('label labels tag id ids to') }
const removed = { key: words('remove removed'), more: added.more }
const listName = 'query q search text term terms keyword search_query search_text search_term phrase contains filter title name'

/** Vocabularies by parameter, or by `Tool.parameter` if one tool differs. */
const vocabulary: Readonly<Record<string, Vocabulary>> = {
  keywords: { names: words(listName), isWords: true },
  limit: { names: words('first max count max_results page_size per_page top n number_of_results results') },
  end_cursor: { names: words('cursor after page_token next_cursor next_page_token pagination_token page'), fits: values.isCursor },
  created_after: {
    names: words('since from created_since created_from after created_at_after min_created_at created_gte after newer_than created_at'),
    fits: values.isSince,
  },
  auto_accept_matches: { names: words('auto_accept accept_matches fuzzy fuzzy_match auto_accept_match') },
  team: { names: words('team_key team_name team_id team_value project_key'), lookup: { tool: 'IssueTracker.ListTeams' } },
  state: { names: words('status workflow_state state_name column issue_state issue_status project_state project_status') },
  status: { names: words('state initiative_state initiative_status'), values: values.initiativeStates },
  state_type: { names: words('type state status category kind'), values: values.stateTypes, read: values.readStateWord },
  target_state: {
    names: words(
      'state status new_state to_state to workflow_state target target_status new_status issue_state issue_status column transition',
    ),
    lookup: { tool: 'IssueTracker.ListWorkflowStates' },
  },
  assignee: {
    names: words(
      'assigned_to assign_to owner assignee_id assignee_name assignee_email user person responsible assigned_user assigned_user_id assign',
    ),
  },
  lead: { names: words('owner lead_id project_lead lead_name lead_email manager') },
  label: { names: words('labels tag label_name label_id tags issue_type') },
  labels_to_add: { names: words('labels label label_names label_ids tags issue_type type'), words: added },
  labels_to_remove: { words: removed },
  fields_to_clear: {
    names: words('clear clear_fields unset unset_fields fields_to_unset'),
    values: values.clearableFields,
    isClearing: true,
  },
  project: { ...project, implies: values.impliedTeam },
  project_id: { ...targetProject },
  'ArchiveProject.project': { ...targetProject },
  initiative: { ...initiative },
  initiative_id: { ...initiative },
  cycle: { names: words('cycle_number sprint iteration cycle_id cycle_name sprint_number') },
  cycle_id: { names: words('cycle id sprint value uuid'), lookup: { tool: 'IssueTracker.ListCycles' } },
  priority: { names: words('prio priority_level importance urgency'), values: values.priorities, read: values.readPriority },
  title: { names: words('name summary subject issue_title headline') },
  name: { names: words('title project_name initiative_name') },
  description: { names: words('body text content details markdown desc notes') },
  body: { names: words('text comment content message markdown comment_body note reply update status_update') },
  parent_issue: { names: words('parent parent_id parent_issue_id parent_identifier sub_issue_of epic'), fits: values.isIssue },
  estimate: { names: words('points story_points estimation size'), read: values.readPoints },
  due_date: { names: words('due deadline due_on due_by due_at') },
  start_date: { names: words('start starts_on begin_date starts_at') },
  target_date: { names: words('end_date due_date deadline target end due ends_on') },
  attachment_url: { names: words('url link attachment link_url links attachments'), read: values.readUrl, implies: values.impliedLink },
  attachment_title: { names: words('url_title link_title attachment_name') },
  issue,
  issue_id: issue,
  related_issue: {
    names: words(
      'related related_id related_issue_id other_issue other target_issue target_issue_id target_id to_issue to target second_issue',
    ),
  },
  relation_type: { names: words('type relation relationship link_type kind'), values: values.relationTypes },
  subscribe: {
    names: words('subscribed follow watch is_subscribed action operation mode'),
    opposites: values.unsubscribing,
    values: values.subscriptions,
  },
  comment_id: { names: words('comment id') },
  parent_comment_id: { names: words('parent_id comment_id reply_to parent parent_comment in_reply_to comment') },
  teams_to_add: { names: words('add_teams teams team add_team') },
  teams_to_remove: { names: words('remove_teams remove_team') },
  health: { names: words('project_health status health_status'), values: values.health },
  code_host_url: { names: words('url pr_url pull_request pull_request_url github_url link commit_url merge_request_url artifact_url pr') },
  lookup_by: { names: words('by lookup type value_type'), values: values.lookups },
  days: {
    names: words('last_days number_of_days period period_days days_back since_days last_n_days lookback lookback_days window window_days'),
  },
  unread_only: { names: words('unread only_unread') },
  active_only: {
    names: words('active only_active is_active current_only status state type position sprint cycle'),
    values: { active: true, current: true },
  },
  include_completed: { names: words('with_completed show_completed include_past') },
  include_relations: { names: words('relations with_relations include_dependencies dependencies') },
  include_children: { names: words('children sub_issues subissues with_children include_sub_issues include_subissues') },
  offset: { names: words('start skip from start_at') },
  'ListInitiatives.state': { values: values.initiativeStates, read: values.readStateWord },
  'ListTeams.keywords': { names: words(`${listName} team team_name`) },
  'ListProjects.keywords': { names: words(`${listName} project project_name`) },
  'ListInitiatives.keywords': { names: words(`${listName} initiative initiative_name`) },
  'CreateProject.team': { names: words('teams team_key team_name team_id team_ids'), fits: values.isSingle },
  'CreateProjectUpdate.body': { names: words('text update content message markdown status_update comment description') },
  'CreateProject.description': summary,
  'CreateInitiative.description': summary,
  'UpdateProject.name': newName,
  'UpdateProject.description': newText,
  // A list may also mean everything that the item should end up with.
  'UpdateProject.teams_to_add': { names: words('add_teams add_team') },
  'UpdateInitiative.name': newName,
  'UpdateInitiative.description': newText,
  'UpdateIssue.title': { names: words('name subject headline new_name new_title') },
  'UpdateIssue.description': newText,
  'UpdateIssue.labels_to_add': { names: words('label label_name') },
  'ListIssues.keywords': { fits: values.isNoFilter },
  'ListIssues.label': { fits: values.isSingle },
  'CreateIssueRelation.issue': {
    names: [...issue.names, ...words('source source_issue source_issue_id source_id from from_issue first_issue this_issue')],
  },
  'GetTeam.value': valueNames('team', ['id', 'key', 'name']),
  'GetProject.value': valueNames('project', ['id', 'slug_id', 'name']),
  'GetInitiative.value': valueNames('initiative', ['id', 'name']),
}

/** Adds a tool's vocabulary and its parameters'. In an update, a word for nothing could mean clearing a field. */
export function addVocabulary({ name, effect, input }: { name: string; effect: string; input: z.ZodObject }): void {
  withVocabulary(input, { elsewhere: elsewhere(name, effect) })
  if (effect === 'read') withVocabulary(input, { idle: { include_archived: [false] } })
  const isNothingAbsent = effect === 'read' || effect === 'create'
  for (const [parameter, schema] of Object.entries<unknown>(input.shape))
    if (schema instanceof z.ZodType)
      withVocabulary(schema, { isNothingAbsent, ...included(parameter), ...vocabulary[parameter], ...vocabulary[`${name}.${parameter}`] })
}

/** `comments`, `with_comments` and `show_comments` for `include_comments`. */
function included(parameter: string): Vocabulary {
  const part = /^include_(.*)/.exec(parameter)?.[1]
  return part === undefined ? {} : { names: [part, `with_${part}`, `show_${part}`] }
}

/** `key`, `team_key` and `team` for `value`, with the `lookup_by` that each implies. */
function valueNames(kind: string, columns: readonly string[]): Vocabulary {
  const byColumn = columns.flatMap((column) => [column, `${kind}_${column}`].map((name) => [name, { lookup_by: column }] as const))
  const implied = Object.fromEntries<Record<string, string>>(byColumn)
  return { names: { ...implied, [kind]: {}, slug: {}, identifier: {}, query: {} } }
}
