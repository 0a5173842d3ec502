import type { RequestLog } from '../request-log.ts'
import type { CallLog, LoggedCall } from './call-log.ts'
import { countOf, filteredPath, Filters, indentJson, Time } from './elements.tsx'
import { newestFirst } from './newest-first.tsx'
import { Request } from './requests.tsx'
import type { WorkspacePage } from './workspace.ts'

const path = '/workspace/calls'

const outcomes = [
  ['ok', 'Done'],
  ['failed', 'Refused or failed'],
  ['replayed', 'Replayed'],
] as const

/** Tool calls, newest first, each with the requests it sent to the vendor. */
export const callPage = (calls: CallLog, log: RequestLog): WorkspacePage => ({
  path: '/calls',
  show(request) {
    const { query } = request
    const filter = { tool: query('tool'), outcome: query('outcome'), search: query('q') }
    const { rows, older } = newestFirst(request, filteredPath(path, query, ['q', 'tool', 'outcome']), (range) =>
      calls.find({ ...range, ...filter }),
    )
    const choices = [
      { name: 'tool', any: 'Any tool', options: calls.tools() },
      { name: 'outcome', any: 'Any outcome', options: outcomes },
    ]
    return {
      title: 'Calls',
      section: '/calls',
      follows: 'calls',
      content: (
        <>
          <p class="soft">Every tool call, newest first, even if it sent nothing to the vendor. The newest 500 are kept.</p>
          <Filters action={path} query={query} search="Search calls" choices={choices} />
          {rows.length === 0 && <p>No calls.</p>}
          <ul class="rows">
            {rows.map((call) => (
              <CallItem call={call} log={log} />
            ))}
          </ul>
          {older}
        </>
      ),
    }
  },
})

/** One call, collapsed to its first line. */
function CallItem({ call, log }: { readonly call: LoggedCall; readonly log: RequestLog }) {
  const { id, at, tool, outcome, ms, args, answer, requests } = call
  const isDone = outcome === 'ok' || outcome === 'replayed'
  return (
    <li id={`call-${id}`}>
      <details id={`opened-${id}`}>
        <summary>
          <strong>{tool}</strong> <span class={`tag ${isDone ? 'good' : 'bad'}`}>{outcome}</span> <span class="soft">{ms} ms</span>{' '}
          <Time at={at} /> <code class="line">{args}</code>
        </summary>
        <h2>Arguments</h2>
        <pre dir="auto" tabindex={0}>
          {indentJson(args)}
        </pre>
        <h2>{isDone ? 'Result' : 'Error'}</h2>
        <pre dir="auto" tabindex={0}>
          {indentJson(answer)}
        </pre>
        <h2>{requests.length === 0 ? 'Nothing was sent to the vendor' : countOf(requests.length, 'request')}</h2>
        <ul class="rows">
          {log.byIds(requests).map((request) => (
            <Request request={request} log={log} />
          ))}
        </ul>
      </details>
    </li>
  )
}
