import type { JsonObject } from '@mcp-toolkits/core/base'
import { type ErrorDetails, type InvalidInput, type Message, sentence } from '@mcp-toolkits/core/errors'
import { changed, words } from '@mcp-toolkits/core/tool'
import { relatedNames } from '../../vocabulary/values.ts'

/** An argument for which a second call must be made: its name, the tool and the parameter of the issue, and that of the value. */
const others = [
  { asks: /^(?:comments?|notes?|comment_?(?:body|text))$/i, tool: 'IssueTracker.AddComment', parameter: 'body' },
  {
    asks: /^(?:blocks|(?:is_?)?blocked_?by|depends_?on|relate[sd]_?to|duplicates|(?:is_?)?duplicate_?of)$/i,
    tool: 'IssueTracker.CreateIssueRelation',
    parameter: 'related_issue',
  },
]
const tools = words('UpdateIssue TransitionIssueState')
const anIssue = /^(?:issue|ticket|task|card|story)?_?(?:id|key|identifier|id_?or_?key)?$/i

const plain = (name: string) => name.replaceAll('_', '').toLowerCase()

/** Advice on a call that asks for two: a change of an issue, and a comment on it or a relation to another. */
export async function withOtherCall(
  own: string,
  written: JsonObject,
  refuse: (args: JsonObject) => Promise<InvalidInput | undefined>,
): Promise<{ readonly text: string | Message; readonly details: Pick<ErrorDetails, 'next'> } | undefined> {
  const found = Object.keys(written).flatMap((name) => others.filter(({ asks }) => asks.test(name)).map((other) => ({ name, ...other })))
  const [second] = found
  const issue = Object.entries(written).find(([name]) => anIssue.test(name))
  if (!second || found.length > 1 || !issue || !tools.includes(own)) return undefined
  const { name, tool, parameter } = second
  const values = [written[name]].flat().filter((each) => typeof each === 'string' && each.trim() !== '')
  if (values.length !== 1) return undefined
  const rest = changed(written, { [name]: null })
  const relation = Object.entries(relatedNames).find(([each]) => plain(each) === plain(name))?.[1]
  const other = { issue: issue[1], [parameter]: values[0], ...(parameter === 'related_issue' && relation) }
  if (Object.keys(rest).length === 1) return { text: '', details: { next: { tool, arguments: other } } }
  const refusal = await refuse(rest)
  const change = refusal ? refusal.details.next?.change : {}
  if (!change) return undefined
  const first = JSON.stringify(changed(rest, change))
  return { text: sentence`Make two calls: this one with ${first}, then ${{ tool }} with ${JSON.stringify(other)}.`, details: {} }
}
