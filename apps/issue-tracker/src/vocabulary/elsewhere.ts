import { Message } from '@mcp-toolkits/core/errors'
import { type Vocabulary, words } from '@mcp-toolkits/core/tool'

/** Arguments for which another tool must be called, or which no tool accepts: tools or their effect, argument names, and advice. */
const notes = [
  'create update delete | dry_run preview simulate validate_only | There is no dry run: this tool changes things at once.',
  'read | page page_number | There are no page numbers: pass the end_cursor of the page before.',
  'read | sort sort_by sort_order order order_by direction | The order is fixed; sort the results yourself.',
  'CreateIssue UpdateIssue TransitionIssueState ArchiveIssue | comment comments note | To comment as well, use AddComment.',
  'CreateIssue UpdateIssue TransitionIssueState | duplicate_of duplicates blocks blocked_by depends_on relates_to related_to relations | To relate issues, use CreateIssueRelation.',
  'CreateIssue UpdateIssue | subscribers followers watchers | To subscribe yourself (no one else can be), use ManageIssueSubscription.',
  'CreateIssue UpdateIssue TransitionIssueState | issues issue_ids issue_keys | One call is for one issue; make one for each. To create several, use BatchCreateIssues. To change several, use BatchUpdateIssues.',
  'ArchiveIssue | restore unarchive undo archived:false | This tool only archives; the triage toolset or a person in Linear restores an issue. To restore it, use UnarchiveIssue.',
  'ArchiveProject ArchiveInitiative | restore unarchive undo archived:false | Nothing can be restored here; a person restores it in Linear.',
  'UpdateProject | health project_health | Health is part of a project update. To post one, use CreateProjectUpdate.',
  'CreateProjectUpdate | state status project_state | An update does not change the state of its project. To change that, use UpdateProject.',
  'UpdateIssue TransitionIssueState | resolution | Issues have no resolution; the state says it, such as Done or Canceled.',
  'CreateIssue UpdateIssue ListIssues | severity component components environment fix_version fix_versions | Issues have no severity, component or version, only a priority; a label may stand for one.',
  'CreateIssue | reporter author creator created_by | The author is always the current user.',
  'TransitionIssueState ArchiveIssue AddComment | assignee priority labels project cycle estimate due_date title description | To change that, use UpdateIssue.',
  'UpdateIssue UpdateProject UpdateInitiative UpdateComment | append prepend append_description append_text mode | A text replaces the old one. To add to it, read the old one and pass both.',
  'UpdateIssue UpdateProject | labels label_ids label_names tags teams team_ids | The present ones stay: a parameter ending in _to_add adds to them, and one ending in _to_remove removes.',
  'CreateProject | teams team_ids | A project starts with one team. To add others, use UpdateProject.',
  'CreateProject UpdateProject | initiative initiatives | To add it to an initiative, use AddProjectToInitiative.',
  'CreateInitiative UpdateInitiative | project projects project_ids | To add a project, use AddProjectToInitiative.',
  'CreateInitiative UpdateInitiative | owner lead | Only a person can set the owner, in Linear.',
  'CreateInitiative UpdateInitiative ListInitiatives | status:hold status:on_hold status:suspended state:hold state:on_hold state:suspended | An initiative cannot be paused.',
  'ArchiveIssue ArchiveProject ArchiveInitiative | permanently permanently_delete permanent delete hard_delete | Only a person can delete it, in Linear.',
  'ArchiveInitiative | include_projects projects cascade recursive delete_projects archive_projects | Its projects stay. To archive one too, use ArchiveProject.',
  'ListTeams | include_members members with_members users | To see who is in a team, use GetTeam.',
  'GetProjectDescription GetInitiativeDescription | page page_number cursor end_cursor | A text has no pages: pass next_offset from the previous part as offset.',
  'ListProjects ListInitiatives ListLabels ListCycles GetNotifications | lead owner health team name type status | There is no filter for that; the results show it.',
  'ListIssues | include_archived archived | Archived issues are not listed.',
  'ListIssues | due due_date due_before due_after due_on created_before milestone creator unassigned | There is no filter for that; the triage toolset has one. To filter by it, use SearchIssues.',
  'CreateIssue | milestone project_milestone | A new issue has no milestone; the triage toolset or a person in Linear sets one. To set it, use SetIssueMilestone.',
  'AddComment ReplyToComment UpdateComment | internal private is_internal visibility | There are no internal comments: all who see the issue see them.',
  'UpdateComment | body: | A comment cannot be deleted here; its author can delete it in Linear.',
  'CreateIssueRelation | relation_type:child_of relation_type:parent_of relation_type:sub_issue_of relation_type:parent | A parent is no relation; the triage toolset or a person in Linear changes it. To change it, use SetParentIssue.',
  "WhoAmI GetNotifications GetRecentActivity | user user_id person user_name email member assignee | This is always about the current user. For someone else's issues, use ListIssues. For the people of a team, use GetTeam.",
  'GetNotifications | mark_as_read mark_read archive snooze | Only a person can mark or archive notifications, in Linear.',
  'ListIssues | updated_after updated_since modified_since changed_since updated_at | There is no filter by last change. To see your own that changed, use GetRecentActivity. For all, use SearchIssues.',
].map((row) => row.split(' | '))

/** A tool's notes by argument. The names of other tools in them are mentions. */
export function elsewhere(tool: string, effect: string): NonNullable<Vocabulary['elsewhere']> {
  const mention = (part: string, index: number) => (index % 2 === 1 ? { tool: `IssueTracker.${part}` } : part)
  const own = notes.filter(([tools = '']) => words(tools).some((each) => each === tool || each === effect))
  const entries = own.flatMap(([, names = '', text = '']) => {
    const sentences = text.split(/(?<=\.) /).map((each) => Message.sentence(each.split(/\b((?:[A-Z][a-z]+){2,})\b/).map(mention)))
    return words(names).map((name) => [name, Message.of(...sentences).toJSON()] as const)
  })
  return Object.fromEntries(entries)
}
