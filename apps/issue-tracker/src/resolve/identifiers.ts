import { member } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import type { LinearCall } from '../linear/client.ts'
import { commentIds } from '../linear/issues/comments.ts'
import { isUuid, issueFilter, issueId, issueReadings, normalize, pageIn, plainReading, type IssueReading } from '../linear/references.ts'
import { teamsOfKeys } from '../linear/teams.ts'
import type { Notice } from './matching.ts'

const issueParameters = ['issue', 'issue_id', 'related_issue', 'parent_issue'] as const
const commentParameters = ['comment_id', 'parent_comment_id'] as const

/**
 * Arguments with identifiers in Linear's form: "ENG 9" as ENG-9, a comment's URL as the comment's id. Ambiguous text stays unchanged.
 * Costs a request only for a comment's URL, and for "ENG12", whose meaning depends on the teams' keys.
 */
export async function readIdentifiers<Args extends object>(linear: LinearCall, args: Args, notice: Notice): Promise<Args> {
  const read: Record<string, string> = {}
  const readers = [
    ...issueParameters.map((parameter) => ({ parameter, reader: readIssue })),
    ...commentParameters.map((parameter) => ({ parameter, reader: readComment })),
  ]
  for (const { parameter, reader } of readers) {
    const text = member(args, parameter)
    if (typeof text !== 'string') continue
    const identifier = await reader(linear, text)
    if (identifier === undefined || identifier === normalize(text)) continue
    read[parameter] = identifier
    notice(`${quote(text, 80)} (${parameter}) was read as ${identifier}.`)
  }
  return { ...args, ...read }
}

async function readIssue(linear: LinearCall, text: string): Promise<string | undefined> {
  const plain = plainReading(text)
  if (isUuid(plain)) return plain
  // An identifier in any case, or a URL.
  if (issueId(plain) !== plain || /^[a-z][a-z0-9]*-[1-9]\d*$/i.test(plain)) return pageIn(text) ? undefined : plain
  const readings = issueReadings(text)
  const [only, ...others] = readings
  if (only === undefined) return undefined
  const reading = others.length === 0 ? only : await readingOfTeam(linear, readings)
  return reading && `${reading.key.toUpperCase()}-${reading.number}`
}

/** The one way to read the text as an identifier whose key belongs to a team; undefined if there are several or none. */
async function readingOfTeam(linear: LinearCall, readings: readonly IssueReading[]): Promise<IssueReading | undefined> {
  const { teams } = await linear.send(teamsOfKeys, { filter: { or: readings.map(({ key }) => ({ key: { eqIgnoreCase: key } })) } })
  const [only, ...others] = readings.filter(({ key }) => teams.some((team) => team.key.toLowerCase() === key.toLowerCase()))
  return others.length === 0 ? only : undefined
}

/** The id of the comment at a URL, which contains only the beginning of the id. */
async function readComment(linear: LinearCall, text: string): Promise<string | undefined> {
  const plain = plainReading(text)
  if (isUuid(plain)) return plain
  const found = pageIn(plain)
  const beginning = /#comment-([0-9a-f]{6,36})$/i.exec(found?.rest ?? '')?.[1]?.toLowerCase()
  if (found?.kind !== 'issue' || beginning === undefined) return undefined
  const { issues } = await linear.send(commentIds, { issue: issueFilter(found.reference) })
  const [only, ...others] = issues.flatMap(({ comments }) => comments).filter(({ id }) => id.startsWith(beginning))
  return others.length === 0 ? only?.id : undefined
}
