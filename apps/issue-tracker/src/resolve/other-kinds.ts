import { member } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, NotFound, quote, sentence } from '@mcp-toolkits/core/errors'
import { isMisspelling } from '@mcp-toolkits/core/references'
import type { LinearCall } from '../linear/client.ts'
import { initiativeLookup } from '../linear/initiatives.ts'
import { lookUpProject } from '../linear/projects.ts'
import { initiativeFilter, issueIdentifier, isUuid, pageIn, plainReading, readingsOf, slugIn } from '../linear/references.ts'

/** Kinds of record that calls are about, each with the tool that reads it and the tool's parameter. */
const readers = {
  issue: { tool: 'IssueTracker.GetIssue', parameter: 'issue_id', noun: 'an issue' },
  project: { tool: 'IssueTracker.GetProject', parameter: 'value', noun: 'a project' },
  initiative: { tool: 'IssueTracker.GetInitiative', parameter: 'value', noun: 'an initiative' },
  team: { tool: 'IssueTracker.GetTeam', parameter: 'value', noun: 'a team' },
  cycle: { tool: 'IssueTracker.GetCycle', parameter: 'cycle_id', noun: 'a cycle' },
} as const
type Kind = keyof typeof readers

/** The parameters that name a call's subject, by name or by `Tool.parameter`. */
const subjects: Readonly<Record<string, Kind>> = {
  issue: 'issue',
  issue_id: 'issue',
  project_id: 'project',
  initiative_id: 'initiative',
  cycle_id: 'cycle',
  'GetTeam.value': 'team',
  'GetProject.value': 'project',
  'GetInitiative.value': 'initiative',
  'ArchiveProject.project': 'project',
  'ArchiveInitiative.initiative': 'initiative',
}

function subjectsOf(tool: string, args: object): { readonly parameter: string; readonly expected: Kind; readonly text: string }[] {
  return Object.keys(args).flatMap((parameter) => {
    const expected = subjects[`${tool}.${parameter}`] ?? subjects[parameter]
    const text = member(args, parameter)
    return expected === undefined || typeof text !== 'string' ? [] : [{ parameter, expected, text }]
  })
}

/** Throws `InvalidInput`, which names the right tool, for the URL of a page of the wrong kind for the call. */
export function requireKinds(tool: string, args: object): void {
  for (const { parameter, expected, text } of subjectsOf(tool, args)) {
    const kind = kindOfPage(plainReading(text))
    // A cycle's page also names its team.
    if (kind === undefined || kind === expected || (kind === 'cycle' && expected === 'team')) continue
    const message = `${quote(text, 80)} is the page of ${readers[kind].noun}, but ${parameter} takes ${readers[expected].noun}.`
    throw new InvalidInput(message, { next: readWith(kind, text) })
  }
}

function kindOfPage(text: string): Kind | undefined {
  const { kind, rest = '' } = pageIn(text) ?? {}
  if (kind === 'team') return /^\/cycle\//i.test(rest) ? 'cycle' : 'team'
  return kind === 'issue' || kind === 'project' || kind === 'initiative' ? kind : undefined
}

/** Error for a call that is not about an issue, if the reference is an issue's identifier. */
export function withOtherKind(tool: string, args: object, error: unknown): unknown {
  if (!(error instanceof NotFound || error instanceof InvalidInput)) return error
  // Errors about other arguments are reported unchanged.
  const isAbout = (text: string) => error.message.includes(quote(text, 80)) || error.message.includes(quote(plainReading(text), 80))
  const mistaken = subjectsOf(tool, args).find(
    ({ expected, text }) => expected !== 'issue' && issueIdentifier.test(plainReading(text)) && isAbout(text),
  )
  if (!mistaken) return error
  const { parameter, expected, text } = mistaken
  const message = `No ${expected} matches ${quote(text, 80)} (${parameter}), which has the form of an issue's identifier.`
  return new NotFound(message, { next: readWith('issue', plainReading(text)) })
}

/** Error for an initiative's name in a tool for projects, or the reverse; it names the right tool. */
export async function withSwappedKind(linear: LinearCall, { tool, args }: ToolCall, error: unknown): Promise<unknown> {
  const subject = subjectsOf(tool, args).find(({ expected }) => expected === 'project' || expected === 'initiative')
  if (!(error instanceof NotFound) || !subject || !error.message.includes(quote(subject.text, 80))) return error
  const { expected, text } = subject
  const isMisspelt = error.details.suggestions?.some(({ value }) => isMisspelling(text, value))
  if (isMisspelt || isUuid(plainReading(text)) || slugIn(plainReading(text)) !== undefined) return error
  const isProject = expected === 'initiative'
  const found = isProject
    ? lookUpProject(linear, text).then(({ project }) => project)
    : linear.send(initiativeLookup, { initiative: initiativeFilter(...readingsOf(text)), text: false }).then(({ initiative }) => initiative)
  if ((await found.catch(() => [])).length !== 1) return error
  const kind = isProject ? 'project' : 'initiative'
  const [, verb, part = ''] = /^(Get|Update|Archive)(?:Project|Initiative)(Description)?$/.exec(tool) ?? []
  const fault = `${quote(text, 80)} is ${readers[kind].noun}, not ${readers[expected].noun}.`
  if (verb === undefined) return new NotFound(fault, { next: readWith(kind, text) })
  const other = `IssueTracker.${verb}${isProject ? 'Project' : 'Initiative'}${part}`
  const parameter = verb === 'Archive' ? kind : part === '' ? 'value' : `${kind}_id`
  const next = verb === 'Update' ? {} : { next: { tool: other, arguments: { [parameter]: text } } }
  return new NotFound(Message.of(fault, sentence`Use ${{ tool: other }}.`), next)
}

interface ToolCall {
  readonly tool: string
  readonly args: object
}

function readWith(kind: Kind, reference: string) {
  const { tool, parameter } = readers[kind]
  return { tool, arguments: { [parameter]: reference } }
}
