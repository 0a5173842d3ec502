import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { changed, type ToolWish, words } from '@mcp-toolkits/core/tool'

/* Wishes to tools of other trackers, and to tools that no tracker's server should lack. */

const issueNames = words('issue issue_id issueId issueIdOrKey issueKey issue_key id identifier key ticket task')

/** The value under one of these names, and the other arguments. */
function taken(args: JsonObject, names: readonly string[]): readonly [value: unknown, rest: JsonObject] {
  const name = names.find((each) => Object.hasOwn(args, each)) ?? ''
  return [args[name], changed(args, { [name]: null })]
}

/** Names some arguments anew: `renamed(args, { issue: issueNames })`; undefined if one is not given, or others are. */
function renamed(args: JsonObject, names: Readonly<Record<string, readonly string[]>>): JsonObject | undefined {
  const given: Record<string, unknown> = {}
  let rest = args
  for (const [name, others] of Object.entries(names)) [given[name], rest] = taken(rest, others)
  return Object.keys(rest).length > 0 || Object.values(given).includes(undefined) ? undefined : given
}

/** The call with an argument that the tool's name stands for. */
const having = (more: JsonObject) => (args: JsonObject) => ({ ...args, ...more })
/** The call with the state that the tool's name stands for, unless it names one. */
const intoState = (target_state: string) => (args: JsonObject) =>
  Object.keys(args).some((name) => /stat(?:e|us)|column|transition/i.test(name)) ? args : { ...args, target_state }
const withoutMethod = (args: JsonObject) => changed(args, { method: null })

const inLinear = 'A person can, in Linear.'
const archiving = words('Issue Project Initiative').map((kind): ToolWish => [
  new RegExp(`^delete ${kind.toLowerCase()}:`),
  `No tool deletes ${kind === 'Project' ? 'a' : 'an'} ${kind.toLowerCase()}. ${inLinear} To archive it instead, use Archive${kind}.`,
])

/** Wishes, the most specific first. */
export const toolWishes: readonly ToolWish[] = [
  // One name for creating and updating.
  [/^save (?:sub )?issue: .*"method":"create"/, '', 'CreateIssue', withoutMethod],
  [/^save issue: .*"method":"update"/, '', 'UpdateIssue', withoutMethod],
  // The state, the person or the direction is part of the name.
  ...[
    ['closed', 'close', 'closed'],
    ['completed', 'complete|finish|resolve', 'done|completed?|resolved|finished'],
    ['canceled', 'cancel', 'cancell?ed'],
    ['started', '(?:start|begin)(?: work)?', 'started'],
    ['unstarted', 'reopen', 'reopened'],
  ].map(([state = '', verb, ending]): ToolWish => [
    new RegExp(`^(?:${verb}) issue:|^(?:mark|update|move) (?:issue )?(?:state )?(?:as )?(?:${ending})(?: issue)?:`),
    '',
    'TransitionIssueState',
    intoState(state),
  ]),
  // Asana's statuses of a project.
  [
    /^create project state: .*"(?:html_)?text":/,
    '',
    'CreateProjectUpdate',
    ({ color, ...rest }) => ({ ...rest, ...(color !== undefined && { health: color }) }),
  ],
  [
    /^(?:assign issue (?:me|myself|self)|(?:self )?assign (?:me|self)|claim issue|take issue)\b/,
    '',
    'UpdateIssue',
    having({ assignee: '@me' }),
  ],
  [
    /^unassign\b/,
    'To take the assignee away, use UpdateIssue with fields_to_clear: ["assignee"].',
    'UpdateIssue',
    (args) => {
      const found = renamed(args, { issue_id: issueNames })
      return found && { ...found, fields_to_clear: ['assignee'] }
    },
  ],
  [
    /^delete (?:issue label|label issue|label): .*"(?:issue|ticket|task|key)/,
    'To take a label off an issue, use UpdateIssue with labels_to_remove.',
    'UpdateIssue',
    (args) =>
      renamed(args, {
        issue_id: issueNames.filter((name) => name !== 'id'),
        labels_to_remove: words('label labels label_name labelName label_id labelId name tag tags'),
      }),
  ],
  [/^(?:add|create) (?:issue )?(?:watcher|subscriber|follower)\b/, '', 'ManageIssueSubscription', having({ subscribe: true })],
  [
    /^(?:unsubscribe|unfollow|unwatch|mute) issue|^delete (?:issue )?(?:watcher|subscriber|subscription|follower)/,
    '',
    'ManageIssueSubscription',
    having({ subscribe: false }),
  ],
  // An issue by another name: Notion's pages.
  [
    /^(?:update|save) (?:page|item|record|row): \{(?:"data":\{)?"\w+":"[a-z]{2,7}-\d+"/i,
    '',
    'UpdateIssue',
    ({ data, ...own }) => {
      const args = isObject(data) ? { ...own, ...data } : own
      const { page_id: issue_id, properties, ...rest } = changed(args, args['command'] === 'update_properties' ? { command: null } : {})
      return issue_id !== undefined && isObject(properties) && Object.keys(rest).length === 0 ? { issue_id, ...properties } : undefined
    },
  ],
  [
    /^create comment: .*"rich_text":\[/,
    '',
    'AddComment',
    ({ parent, rich_text, ...rest }) => {
      const issue = stringMember(parent, 'page_id')
      const texts = [rich_text].flat().map((each) => stringMember(isObject(each) ? each['text'] : each, 'content'))
      return issue === undefined || texts.includes(undefined) || Object.keys(rest).length > 0 ? undefined : { issue, body: texts.join('') }
    },
  ],
  // Asana's comments and blockers.
  [/^create issue issue: .*"(?:html_)?text":/, '', 'AddComment'],
  [
    /^(?:update|add) issue (?:relation|dependency): .*"dependenc/,
    '',
    'CreateIssueRelation',
    (args) => {
      const found = renamed(args, { issue: [...issueNames, ...words('task_id task_gid')], related_issue: words('dependencies dependency') })
      const [only, ...others] = [found?.['related_issue']].flat()
      return found && others.length === 0 ? { ...found, related_issue: only, relation_type: 'blockedBy' } : undefined
    },
  ],
  // A tool under another name, perhaps in a toolset.
  [/^(?:restore|unarchive) issue:/, '', 'UnarchiveIssue'],
  [/^(?:restore|unarchive)\b/, `No tool restores that. ${inLinear}`],
  [/^(?:delete (?:issue )?(?:relation|link|dependency|blocker|relationship)|unlink issue|unrelate)/, '', 'DeleteIssueRelation'],
  [
    /^(?:unlink|delete (?:issue )?(?:attachment|file|code|pull|request|remote))/,
    `No tool takes a link or a file off an issue. ${inLinear}`,
  ],
  [/^delete comment/, 'No tool deletes a comment. Its author can, in Linear. To change its text, use UpdateComment.'],
  [/^delete (?:project initiative|initiative project)/, `No tool takes a project out of an initiative. ${inLinear}`],
  ...archiving,
  [
    /^(?:get|list|search) (?:team )?(?:user|assignable user): .*"team/,
    '',
    'GetTeam',
    (args) => renamed(args, { value: words('team team_id teamId team_key teamKey team_name') }),
  ],
  [/^(?:get|list) user: .*"@?(?:me|self|viewer|current)\b/, '', 'WhoAmI', () => ({})],
  [/^list team user:/, '', 'GetTeam'],
  [
    /^(?:get|list|lookup) (?:assignable )?(?:user(?! issue)|account id|user account id|organization user)\b/,
    'For the people of one team, use GetTeam.',
    'ListUsers',
  ],
  [/^(?:add|delete|create|update|save|move|send) (?:team )?user\b|^[^:]*\binvit/, `No tool adds, changes or removes people. ${inLinear}`],
  [
    /^[^:]*\b(?:worklog|timer?|hour|log work|track work)\b[^:]*:/,
    'No tool logs time, and Linear has no field for it. To note it on the issue, use AddComment.',
  ],
  [/^(?:update|add|move|save) (?:issue milestone|milestone issue|issue to milestone)/, '', 'SetIssueMilestone'],
  [/^move issue(?: to)? team|^(?:move|transfer) issue: (?!.*"(?:to_?)?(?:state|status)).*"(?:\w*team)"/i, '', 'MoveIssueToTeam'],
  [
    /^(?:add|save|update|delete|move|link) (?:issue )?(?:sub ?issue|parent(?: issue)?|child|subtask|sub task)\b/,
    'To create a new issue under it, use CreateIssue with parent_issue.',
    'SetParentIssue',
  ],
  [
    /^(?:create|add|save|upload|link)(?: issue)? (?:attachment|file|image|url|remote link|link)(?: issue)?: .*"\w*(?:url|link)":/i,
    'A link goes onto an issue as attachment_url, by UpdateIssue.',
    'UpdateIssue',
    (args) =>
      renamed(
        { title: '', ...args },
        { issue_id: issueNames, attachment_url: words('url link attachment_url link_url'), attachment_title: words('title') },
      ),
  ],
  [
    /^(?:create|add|save|upload|link)(?: issue)? (?:attachment|file|image)\b/,
    'To put a link onto an issue, use UpdateIssue with attachment_url.',
    'AttachFile',
  ],
  [/^(?:list|get) (?:issue )?attachment/, 'The attachments of an issue are also in GetIssue (include_attachments).', 'ListAttachments'],
  [/^get (?:issue )?label\b/, 'No tool gets one label: the list shows them all.', 'ListLabels', () => ({})],
  [
    /^get (?:issue |team )?(?:state|workflow state)\b/,
    'No tool gets one workflow state: the list shows them all.',
    'ListWorkflowStates',
    ({ team }) => (team === undefined ? {} : { team }),
  ],
  [/^list (?:project )?milestone\b/, "A project's milestones are also in GetProject.", 'ListMilestones'],
  [/^update (?:batch issue|issue batch):/, 'UpdateIssue updates one issue per call.', 'BatchUpdateIssues'],
  [/^(?:list|get) (?:available )?(?:issue )?transition/, '', 'ListWorkflowStates'],
  [/^(?:get|list) (?:issue relation|issue link|issue dependency|sub ?issue|issue child)/, '', 'GetIssue'],
  [
    /^(?:update|archive|delete|mark|clear|dismiss)\b[^:]*\b(?:notification|inbox)\b|^mark (?:all )?(?:as )?(?:read|unread)\b/,
    'Only a person can mark or archive notifications, in Linear.',
  ],
  // Things that no tool has.
  [
    /^(?:list|get|create|update|merge|close|save|review|delete|add) (?!issue)[^:]*\b(?:pull|request|repository|repo|branch|commit|file|code|gist|release|action)\b(?![^:]*issue)/,
    'This server has issues and projects, but no code. To link a pull request or a commit to an issue, use LinkCodeHostToIssue.',
  ],
  [
    /^(?:create|update|save) (?:issue )?label/,
    `No tool creates or changes labels. ${inLinear} To put a label on an issue, use UpdateIssue (labels_to_add). To see the labels, use ListLabels.`,
  ],
  [
    /^(?!(?:update|save) issue state:)(?:create|update|save|archive|delete|add|copy|start|complete|close) (?:issue )?(?:team|state|workflow|cycle|template|view|webhook|roadmap|favorite|field|custom field|component|version|fix version|board|space|page|filter|epic|label|reaction|emoji|vote|organization|workspace|customer)s?:|^(?:delete|archive) (?:project )?milestone/,
    `No tool does that. ${inLinear}`,
  ],
  [
    /^(?:delete|copy|lock|unlock|export|download|import|share)\b|^[^:]*\b(?:reaction|emoji|vote|pin|snooze)\b[^:]*:/,
    `No tool does that. ${inLinear}`,
  ],
]
