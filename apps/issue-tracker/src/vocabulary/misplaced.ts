import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { type Tool, words } from '@mcp-toolkits/core/tool'
import { isUuid } from '../linear/references.ts'
import { elsewhere } from './elsewhere.ts'

/** Callers' words for arguments. */
const names: Readonly<Record<string, string>> = {
  issue: 'issue issue_id id issue_key issue_identifier ticket',
  parent_comment_id: 'parent_comment_id parent_comment parent_id reply_to in_reply_to',
  body: 'body text comment content message note reply summary description update',
  project_id: 'project_id project project_name id name',
  value: 'initiative initiative_id initiative_name',
  parent_issue: 'parent_issue parent_issue_id parent_id parent_key parent',
  team: 'team team_id team_key new_team target_team',
  comment: 'comment comments note',
  person: 'user user_id person user_name username user_email email account_id assignee member watcher watchers subscriber subscriber_ids',
  cycle: 'cycle cycle_id cycle_number cycle_name number sprint sprint_id sprint_name iteration iteration_id id',
  milestone: 'milestone milestone_id project_milestone project_milestone_id',
}
/** Calls meant for another tool: the argument and value that show it, the advice, the purpose, the other tool and its arguments. */
const moves = [
  'ManageIssueSubscription | person | ^(?!@?me$). | only the current user can be subscribed or unsubscribed, no one else. | To mention someone on the issue | AddComment | issue body',
  'AddComment | parent_comment_id | ^(?!null$). | a new comment does not reply to another. | To reply to one | ReplyToComment | issue parent_comment_id body',
  'AddComment | notify mentions mention cc | ^@?\\p{Lu}[^/]+$ | to notify someone, write @ and their full name in body. | To do so | AddComment | issue body',
  'UpdateIssue | comment comments note | ^(?!null$). | a comment is no field of the issue. | To post one | AddComment | issue body:comment',
  'UpdateComment | comment_id id comment | ^(?! *[^ ]{5,} *$) | a comment has an id (a UUID). | To find it | ListComments | issue',
  'CreateProject | team | , | a project begins with one team. | To add the others afterwards | UpdateProject | project_id teams_to_add',
  'UpdateProject | health | ^(?!null$). | health is part of a project update. | To post one | CreateProjectUpdate | project_id health body',
  'ListProjects | value | ^(?!null$). | no filter selects the projects of an initiative. | To see them | GetInitiative | value',
  'ListIssues | parent_issue | ^(?!null$). | no filter selects sub-issues. | To see those of one issue | GetIssue | issue_id:parent_issue',
  'UpdateIssue | parent_issue || an update keeps the parent of an issue; the triage toolset has a tool that changes it. | To change it | SetParentIssue | issue parent_issue',
  'UpdateIssue | team || an update keeps the team of an issue; the triage toolset has a tool that changes it. | To change it | MoveIssueToTeam | issue team',
  'UpdateIssue | milestone || an update keeps the milestone of an issue; the triage toolset has a tool that changes it. | To change it | SetIssueMilestone | issue milestone',
  'UpdateIssue | archived | ^true$ | an update does not archive anything. | To archive the issue | ArchiveIssue | issue',
].map((row) => row.split(/ ?\| ?/))

type Spec = Pick<Tool<never>, 'name' | 'input'>

/** The error for arguments that request something only a different tool does, or no tool; undefined if they do not. */
export function misplacement(spec: Spec, args: unknown): InvalidInput | undefined {
  return isObject(args) ? (misplacedNumber(spec, args) ?? misplacedCycle(spec, args) ?? misplacedPart(spec, args)) : undefined
}

function misplacedPart({ name, input }: Spec, args: JsonObject): InvalidInput | undefined {
  for (const [tool, argument = '', value = '', fault = '', purpose = '', other = '', parameters = ''] of moves) {
    const given = nameIn(args, argument)
    if (tool !== name || given === undefined || !new RegExp(value, 'u').test(String(args[given]))) continue
    const found = words(parameters).map((each) => {
      const [parameter = '', list = parameter] = each.split(':')
      return [parameter, nameIn(args, list) ?? ''] as const
    })
    const own = [given, ...found.map(([, each]) => each)]
    // A proposal with only part of a change would lose the rest.
    const isWhole = !own.includes('') && (/^(?:List|Get)/.test(other) || Object.keys(args).every((each) => own.includes(each)))
    if (!isWhole && Object.hasOwn(elsewhere(tool, ''), given)) continue
    const moved = Object.fromEntries(found.map(([parameter, each]) => [parameter, args[each] ?? 'none']))
    // The people to notify are mentioned.
    const comment = other === tool ? stringMember(moved, 'body') : undefined
    if (comment !== undefined) moved['body'] = comment + String(args[given]).replace(/(?:^|,) ?@?/g, ' @')
    const named = `${Object.hasOwn(input.shape, given) ? '' : 'Unknown argument '}"${given}"`
    return leadingTo(other, `${named}: ${fault}`, purpose, isWhole ? moved : undefined)
  }
  return undefined
}

/** The error for an issue's number or identifier next to its team's key, with the identifier. */
function misplacedNumber({ name, input: { shape } }: Spec, args: JsonObject): InvalidInput | undefined {
  const isList = name === 'ListIssues'
  const target = isList ? 'issue_id' : ['issue_id', 'issue'].find((each) => Object.hasOwn(shape, each))
  const issue = nameIn(args, isList ? 'number issue_number' : 'issue_id issue id number issue_number identifier')
  const team = nameIn(args, 'team')
  if (target === undefined || issue === undefined || team === undefined || (Object.hasOwn(shape, 'team') && !isList)) return undefined
  const written = `${String(args[team]).trim()} ${String(args[issue]).trim()}`
  const [, key = '', number] = /^([a-z][a-z\d]{0,6}) (?:#|\1-)?(\d+)$/i.exec(written) ?? []
  if (number === undefined) return undefined
  const identifier = `${key.toUpperCase()}-${number}`
  if (isList) return leadingTo('GetIssue', 'No filter selects a number.', 'To read one issue', { issue_id: identifier })
  return new InvalidInput(`Unknown argument "${team}": an issue is named by its identifier, here "${identifier}".`, {
    next: { change: { [issue]: null, [team]: null, [target]: identifier } },
  })
}

/** The error for a cycle as a filter for issues, or next to its team. */
function misplacedCycle({ name }: Spec, args: JsonObject): InvalidInput | undefined {
  const [given, key] = [nameIn(args, 'cycle'), nameIn(args, 'team')]
  const team = key && stringMember(args, key)
  const cycle = String(given && args[given]).trim()
  const cycle_id = isUuid(cycle) ? cycle : team && `${cycle} (${team})`
  if (name === 'GetCycle' && key !== undefined && team !== undefined) {
    const fault = `Unknown argument "${key}": cycle_id names the team too, as in "current (ENG)".`
    if (given === undefined) return leadingTo('ListCycles', fault, 'To find a cycle', { team })
    return new InvalidInput(fault, { next: { change: { [key]: null, [given]: null, cycle_id } } })
  }
  if (name !== 'ListIssues' || given === undefined || given === 'id' || given === 'number') return undefined
  const fault = `Unknown argument "${given}": no filter selects a cycle's issues.`
  const isAlone = cycle_id !== undefined && Object.keys(args).every((each) => [given, key, 'limit', 'first'].includes(each))
  return leadingTo('GetCycle', fault, 'To see those that changed last', isAlone ? { cycle_id } : undefined)
}

/** The argument with one of the names, including `parentId` style; a parameter stands for the names in its list. */
function nameIn(args: JsonObject, list: string): string | undefined {
  const known = words(names[list] ?? list)
  const written = new Map(Object.keys(args).map((each) => [each.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(), each]))
  return written.get(known.find((each) => written.has(each)) ?? '')
}

function leadingTo(name: string, fault: string, purpose: string, args?: JsonObject): InvalidInput {
  const tool = `IssueTracker.${name}`
  return new InvalidInput(Message.of(fault, sentence`${purpose}, use ${{ tool }}.`), { ...(args && { next: { tool, arguments: args } }) })
}
