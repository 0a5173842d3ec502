import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { words } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import { isUuid } from '../linear/references.ts'

const parents = words('parent_comment_id parent_comment parent_id reply_to in_reply_to')
const issues = words('issue issue_id id issue_key issue_identifier ticket')
const texts = words('body text comment content message note reply')
const teams = words('team team_id team_key')
const cycles = words('cycle cycle_id cycle_number cycle_name number sprint iteration id')
/** Issue fields that the triage toolset changes: the field, callers' words for it, what it is, and the tool. */
const others = [
  ['parent_issue', words('parent_issue parent_issue_id parent_id parent'), 'parent', 'SetParentIssue'],
  ['team', words('team team_id team_key new_team target_team'), 'team', 'MoveIssueToTeam'],
  ['milestone', words('milestone milestone_id project_milestone project_milestone_id'), 'milestone', 'SetIssueMilestone'],
] as const

/** Throws `InvalidInput` for arguments that request something only a different tool does, or no tool. */
export function refuseMisplaced({ name, input }: { readonly name: string; readonly input: z.ZodObject }, args: unknown): void {
  if (!isObject(args)) return
  refuseNumber(input, args)
  refuseCycle(name, args)
  const parent = nameIn(args, parents)
  const parent_comment_id = parent && stringMember(args, parent)
  const [subject, text] = [nameIn(args, issues), nameIn(args, texts)]
  const reply = subject === undefined || text === undefined ? undefined : { issue: args[subject], parent_comment_id, body: args[text] }
  if (name === 'AddComment' && parent_comment_id !== undefined)
    refuse('A new comment does not reply to another.', 'To reply to one', 'ReplyToComment', reply)
  if (name !== 'UpdateIssue') return
  const issue = stringMember(args, 'issue_id')
  // Proposing only this change would lose any others.
  const isAlone = issue !== undefined && Object.keys(args).length === 2
  for (const [parameter, names, noun, tool] of others) {
    const given = nameIn(args, names)
    if (given === undefined) continue
    const fault = `Unknown argument "${given}": an update keeps the ${noun} of an issue; the triage toolset has a tool that changes it.`
    refuse(fault, `To change the ${noun}`, tool, isAlone ? { issue, [parameter]: args[given] ?? 'none' } : undefined)
  }
  const { archived } = args
  if (archived !== true && archived !== 'true') return
  refuse('An update does not archive anything.', 'To archive the issue', 'ArchiveIssue', isAlone ? { issue } : undefined)
}

/** An issue's number or identifier beside the key of its team. */
function refuseNumber({ shape }: z.ZodObject, args: JsonObject): void {
  const target = ['issue_id', 'issue'].find((each) => Object.hasOwn(shape, each))
  const issue = nameIn(args, words('issue_id issue id number issue_number identifier'))
  const team = nameIn(args, teams)
  if (target === undefined || issue === undefined || team === undefined || Object.hasOwn(shape, 'team')) return
  const written = `${String(args[team]).trim()} ${String(args[issue]).trim()}`
  const [, key = '', number] = /^([a-z][a-z\d]{0,6}) (?:#|\1-)?(\d+)$/i.exec(written) ?? []
  if (number === undefined) return
  const identifier = `${key.toUpperCase()}-${number}`
  throw new InvalidInput(`Unknown argument "${team}": an issue is named by its identifier, here "${identifier}".`, {
    next: { change: { [issue]: null, [team]: null, [target]: identifier } },
  })
}

/** A cycle to filter issues by, or a cycle beside its team. */
function refuseCycle(name: string, args: JsonObject): void {
  const [given, key] = [nameIn(args, cycles), nameIn(args, teams)]
  const team = key && stringMember(args, key)
  const cycle = String(given && args[given]).trim()
  const cycle_id = isUuid(cycle) ? cycle : team && `${cycle} (${team})`
  if (name === 'GetCycle' && key !== undefined && team !== undefined) {
    const fault = `Unknown argument "${key}": cycle_id names the team too, as in "current (ENG)".`
    if (given === undefined) refuse(fault, 'To find a cycle', 'ListCycles', { team })
    throw new InvalidInput(fault, { next: { change: { [key]: null, [given]: null, cycle_id } } })
  }
  if (name !== 'ListIssues' || given === undefined || given === 'id' || given === 'number') return
  const fault = `Unknown argument "${given}": no filter selects a cycle's issues.`
  refuse(fault, 'To see those that changed last', 'GetCycle', cycle_id === undefined ? undefined : { cycle_id })
}

/** The argument with one of the names, including `parentId` style. */
function nameIn(args: JsonObject, names: readonly string[]): string | undefined {
  return Object.keys(args).find((each) => names.includes(each.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()))
}

function refuse(fault: string, purpose: string, name: string, args?: JsonObject): never {
  const tool = `IssueTracker.${name}`
  throw new InvalidInput(Message.of(fault, sentence`${purpose}, use ${{ tool }}.`), { ...(args && { next: { tool, arguments: args } }) })
}
