import { member } from '@mcp-toolkits/core/base'
import { InvalidInput, NotFound, quote } from '@mcp-toolkits/core/errors'
import { issueIdentifier, pageIn, plainReading } from '../linear/references.ts'

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

interface Subject {
  readonly parameter: string
  readonly expected: Kind
  readonly text: string
}

function subjectsOf(tool: string, args: object): Subject[] {
  return Object.keys(args).flatMap((parameter) => {
    const expected = subjects[`${tool}.${parameter}`] ?? subjects[parameter]
    const text = member(args, parameter)
    return expected === undefined || typeof text !== 'string' ? [] : [{ parameter, expected, text }]
  })
}

/** Throws `InvalidInput`, which names the right tool, for the URL of a page that is the wrong kind for the call. */
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

function readWith(kind: Kind, reference: string) {
  const { tool, parameter } = readers[kind]
  return { tool, arguments: { [parameter]: reference } }
}
