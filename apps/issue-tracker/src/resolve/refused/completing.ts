import { isObject, type JsonObject, stringMember } from '@mcp-toolkits/core/base'
import {
  type InvalidInput,
  joinWords,
  Message,
  type NextStep,
  quote,
  sentence,
  type Suggestion,
  type ToolError,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { changed, type Effect, isCorrectedRest, oneByOne } from '@mcp-toolkits/core/tool'
import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { artifactOf } from '../../code-hosts.ts'
import type { LinearCall } from '../../linear/client.ts'
import { findTeamClues, labelsOfIssue } from '../../linear/clues.ts'
import { readConditions, type Restated } from './conditions.ts'
import { commentText } from '../../linear/issues/comments.ts'
import { isUuid, issueId, plainReading } from '../../linear/references.ts'
import { closedTypeIn } from '../corrections.ts'
import { withOtherCall } from './beside.ts'

/** A refused call. */
interface RefusedCall {
  readonly spec: { readonly name: string; readonly effect: Effect; readonly input: z.ZodObject }
  readonly written: JsonObject
  readonly linear: LinearCall
  /** Returns the tool's error for arguments; undefined if it accepts them. */
  readonly refuse: (args: JsonObject) => Promise<InvalidInput | undefined>
}

/** The arguments of a refused call, corrected where the meaning is clear, and the required ones that are missing. */
type Rest = NonNullable<InvalidInput['details']['rest']>

/** Conclusion from a call's other arguments: the whole call if it can only mean one thing; otherwise a lookup or suggestions. */
interface Completion {
  readonly text: string | Message
  readonly args?: JsonObject
  readonly next?: NextStep
  readonly suggestions?: readonly Suggestion[]
}

const maxShown = 1_000

/**
 * The error for a call that uses another product's terms, or lacks an argument that follows from the others; it proposes the intended call.
 * Takes at most one request.
 */
export async function withCompletion(error: InvalidInput, call: RefusedCall): Promise<ToolError> {
  const { spec, written, refuse } = call
  const foreign = (spec.effect === 'read' ? readConditions(written) : readClosing(written, spec)) ?? readFlag(written, spec)
  const own = foreign?.args ?? written
  const problem = foreign ? await refuse(own) : error
  const completion = problem && (await complete(call, problem).catch(() => undefined))
  if (!foreign && !completion) return (await withCalls(error, call)) ?? error
  const meant = completion?.args ?? own
  const last = completion?.args ? await refuse(meant) : problem
  const isPart = foreign !== undefined && foreign.lost.length > 0
  const whole = last ? last.details.next?.change && changed(meant, last.details.next.change) : meant
  const step = whole ? { change: changeBetween(written, whole) } : last?.details.next
  const next = completion && !completion.args ? completion.next : step
  const suggestions = [...((last ?? (foreign ? undefined : error))?.details.suggestions ?? []), ...(completion?.suggestions ?? [])]
  const texts = [foreign && describe(foreign), problem?.text, completion?.text].filter((text) => text !== undefined)
  return withDetails(error, Message.of(...texts), { suggestions, ...(next && !isPart && { next }) })
}

/** Adds to the error the calls that one call means: one per item of a list, or one more for another tool. Undefined if it means a single call. */
async function withCalls(error: InvalidInput, call: RefusedCall): Promise<ToolError | undefined> {
  const { spec, written, refuse } = call
  const isRead = spec.effect === 'read'
  const text = error.text.map((each) => (isCorrectedRest(each) ? '' : each))
  const calls = isRead && !error.message.includes('per call') ? undefined : await oneByOne(written, isRead ? /./ : oneIssue, refuse)
  if (calls !== undefined) return withDetails(error, text.and(calls), error.details)
  const found = await withOtherCall(spec.name, written, refuse)
  return found && withDetails(error, text.and(found.text), { ...error.details, ...found.details })
}

/** The change that turns one call into another; null removes an argument. */
function changeBetween(from: JsonObject, to: JsonObject): JsonObject {
  const removed = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  const set = Object.entries(to).filter(([name, value]) => !isDeepStrictEqual(value, from[name]))
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(set) }
}

function describe({ args, lost }: Restated): Message {
  const call = JSON.stringify(args)
  const shown = call.length > maxShown ? [] : [`In the terms of this tool, the call is ${call}.`]
  return Message.of(...shown, ...(lost.length > 0 ? [`No argument means ${joinWords(lost, 'or')}.`] : []))
}

/** Names of the reason for closing an issue in GitHub and Jira. */
const closing = /^(?:state|status|close|closed)_?reason$|^resolution$/i

/** The arguments of an update, with the reason for closing turned into the state: `state_reason: "not_planned"`. */
function readClosing(written: JsonObject, { effect, input }: RefusedCall['spec']): Restated | undefined {
  const parameter = ['target_state', 'state'].find((each) => Object.hasOwn(input.shape, each))
  const [name, value] = Object.entries(written).find(([each]) => closing.test(each)) ?? []
  if (effect !== 'update' || parameter === undefined || name === undefined || !Object.hasOwn(input.shape, 'issue_id')) return undefined
  const type = closedTypeIn(String(stringMember(value, 'name') ?? value))
  const states = Object.entries(written).filter(([each]) => /^(?:target_?)?(?:state|status)$/i.test(each))
  if (type === undefined || !states.every(([, state]) => /^(?:closed?|resolved|done|completed?)$/i.test(String(state)))) return undefined
  const replaced = Object.fromEntries([name, ...states.map(([each]) => each)].map((each) => [each, null]))
  return { args: { ...changed(written, replaced), [parameter]: type }, lost: [] }
}

/** Names of an argument for one issue. */
const oneIssue =
  /^(?:related_)?(?:(?:issue|ticket|task|card|item|story|stories)s?(?:_?(?:id|key|identifier|number)s?)?|ids|identifiers|blocks|blocked_?by|depends_?on|relate[sd]_?to|duplicates?|duplicate_?of)$/i
/** Names of flags for a finished issue. */
const finished = /^(?:is_?)?(?:completed?|done|due_?complete|finished)$/i

/** The arguments, with a flag such as `completed: true` turned into the state. The meaning of `false` is clear only in a filter. */
function readFlag(written: JsonObject, { effect, input: { shape } }: RefusedCall['spec']): Restated | undefined {
  const parameter = ['target_state', 'state'].find((each) => Object.hasOwn(shape, each))
  const [name, value] = Object.entries(written).find(([each, held]) => finished.test(each) && typeof held === 'boolean') ?? []
  const isMeant = effect === 'read' ? Object.hasOwn(shape, 'assignee') : value === true && Object.hasOwn(shape, 'issue_id')
  if (!isMeant || parameter === undefined || name === undefined || Object.hasOwn(written, parameter)) return undefined
  return { args: { ...changed(written, { [name]: null }), [parameter]: value === true ? 'completed' : 'open' }, lost: [] }
}

async function complete({ spec, linear, written }: RefusedCall, { details }: InvalidInput): Promise<Completion | undefined> {
  const { rest, suggestions = [] } = details
  if (!rest || suggestions.some(({ parameter }) => parameter === 'team')) return undefined
  const relation = rest.missing.includes('related_issue') ? completeLink(rest) : undefined
  if (relation) return relation
  if (rest.missing.includes('code_host_url')) {
    const change = artifactOf(written)
    return change && { text: 'The repository and the number or hash make an address.', args: changed(rest.args, change) }
  }
  if (spec.effect === 'create' && rest.missing.includes('team')) return completeTeam(linear, rest)
  if (rest.missing.some((name) => name.endsWith('comment_id'))) return lookUpComment(written, rest)
  if (Object.hasOwn(spec.input.shape, 'parent_comment_id') && rest.missing.includes('issue')) return completeIssue(linear, rest)
  return Object.hasOwn(spec.input.shape, 'labels_to_remove') ? completeLabels(linear, rest) : undefined
}

/** A link in Jira's terms, which do not say which issue comes first; for related issues, the order does not matter. */
function completeLink({ args }: Rest): Completion | undefined {
  const [inward, outward] = ['inward', 'outward'].map((side) => Object.keys(args).find((name) => name.toLowerCase().startsWith(side)))
  if (inward === undefined || outward === undefined) return undefined
  const [one, other] = [args[inward], args[outward]].map((issue) => stringMember(issue, 'key') ?? issue)
  const rest = changed(args, { [inward]: null, [outward]: null })
  const first = { issue: one, related_issue: other, ...rest }
  if (rest['relation_type'] === 'related') return { text: 'Either issue may be the first.', args: first }
  const calls = [first, { issue: other, related_issue: one, ...rest }].map((each) => JSON.stringify(each))
  return { text: `"${inward}" and "${outward}" do not say which issue comes first. Pass ${joinWords(calls, 'or')}.` }
}

/** Maximum number of teams to list in an error. */
const maxTeams = 10

/** Names of whatever contains the issues in another tracker; here, that may be a team. */
const container = /^(?:project|board|list|space|workspace|database)(?:_?(?:id|key|name))?$/i

/** The team that the project, parent, cycle, labels and state of a new issue have in common; or the team that its container names. */
async function completeTeam(linear: LinearCall, { args }: Rest): Promise<Completion | undefined> {
  const [label] = [args['labels_to_add']].flat()
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const project = text(args['project'])
  const found = await findTeamClues(linear, {
    project,
    parent_issue: text(args['parent_issue']),
    label: text(label),
    state: text(args['state']),
    cycle: text(args['cycle']),
  })
  const { teams } = found
  for (const [name, value] of Object.entries(args)) {
    const isNamed = (each: string) => each.toLowerCase() === text(value)?.trim().toLowerCase()
    const named = teams.find((team) => isNamed(team.key) || isNamed(team.name))
    if (named && found.project.length === 0 && container.test(name))
      return { text: `"${name}" names the team ${named.name}.`, args: { ...changed(args, { [name]: null }), team: named.key } }
  }
  const owners = [found.project.flatMap((each) => each.teams), ...[found.parent, found.labels, found.state, found.cycle].map(ownersOf)]
  const possible = teams.filter(({ id }) => owners.every((each) => each.length === 0 || each.some((owner) => owner.id === id)))
  const [only, ...more] = possible.length > 0 ? possible : teams
  if (only && more.length === 0) return { text: `The team can only be ${only.name}.`, args: { ...args, team: only.key } }
  if (!only || more.length >= maxTeams) return undefined
  const choices = [only, ...more]
  return {
    text: `The team can be ${joinWords(
      choices.map(({ key, name }) => `${key} (${name})`),
      'or',
    )}.`,
    suggestions: choices.map(({ key, id }) => ({ value: key, id, parameter: 'team', confidence: 0.5 })),
  }
}

/** The teams of records; none if a record belongs to the whole workspace. */
function ownersOf<Team>(records: readonly { readonly team?: Team | undefined }[]): readonly Team[] {
  const teams = records.flatMap(({ team }) => team ?? [])
  return teams.length < records.length ? [] : teams
}

/** Proposes to look for the comment on the issue that the call names. */
function lookUpComment(written: JsonObject, { args }: Rest): Completion | undefined {
  const [, issue] =
    Object.entries({ ...written, ...args }).find(([name]) => /^(?:issue|ticket)(?:_?(?:id|key|identifier))?$/i.test(name)) ?? []
  const tool = 'IssueTracker.ListComments'
  if (typeof issue !== 'string') return undefined
  return { text: sentence`To find the comment's id, use ${{ tool }}.`, next: { tool, arguments: { issue } } }
}

/** Adds the issue that the parent comment is on. */
async function completeIssue(linear: LinearCall, { args }: Rest): Promise<Completion | undefined> {
  const id = stringMember(args, 'parent_comment_id') ?? ''
  const issue = isUuid(id) ? (await linear.send(commentText, { id })).comment.issue?.identifier : undefined
  return issue === undefined ? undefined : { text: `The comment is on ${issue}.`, args: { ...args, issue } }
}

/** Reads a full list of labels as labels to add, if it includes all labels that the issue has. */
async function completeLabels(linear: LinearCall, { args }: Rest): Promise<Completion | undefined> {
  const [parameter, value] = Object.entries(args).find(([name]) => /^(?:labels|tags|label_?(?:ids|names))$/i.test(name)) ?? []
  const labels = [value].flat().map((each) => (isObject(each) ? stringMember(each, 'name') : each))
  const reference = stringMember(args, 'issue_id')
  if (parameter === undefined || reference === undefined || !labels.every((each) => typeof each === 'string')) return undefined
  const { issue } = await linear.send(labelsOfIssue, { id: issueId(plainReading(reference)) })
  const isListed = ({ id, name }: { readonly id: string; readonly name: string }) =>
    labels.some((each) => each === id || each.toLowerCase().split('/').at(-1) === name.toLowerCase())
  const others = issue.labels.filter((each) => !isListed(each)).map(({ name }) => name)
  if (others.length === 0)
    return { text: `${issue.identifier} has no other label.`, args: { ...changed(args, { [parameter]: null }), labels_to_add: labels } }
  const present = others.map((name) => quote(name, 80))
  const adding = labels.length === 0 ? '' : ` To keep them, pass labels_to_add: ${JSON.stringify(labels)}.`
  const suggest = (name: string, values: readonly string[]) => values.map((each) => ({ value: each, parameter: name, confidence: 0.6 }))
  return {
    text: `${issue.identifier} has ${joinWords(present)}.${adding} To remove them, pass ${labels.length === 0 ? '' : 'also '}labels_to_remove: ${JSON.stringify(others)}.`,
    suggestions: [...suggest('labels_to_add', labels), ...suggest('labels_to_remove', others)],
  }
}
