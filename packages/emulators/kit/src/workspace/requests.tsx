import { isObject, parseJson } from '../json.ts'
import type { LoggedRequest, RequestLog } from '../request-log.ts'
import { filteredPath, Filters, indentJson, Time } from './elements.tsx'
import { newestFirst } from './newest-first.tsx'
import type { WorkspacePage } from './workspace.ts'

const path = '/workspace/requests'

const results = [
  ['failed', 'Errors'],
  ['ok', 'No errors'],
] as const

/** The requests that arrived, newest first. */
export const requestPage = (log: RequestLog): WorkspacePage => ({
  path: '/requests',
  show(request) {
    const { query } = request
    const result = query('result')
    const filter = { search: query('q'), failed: result === undefined ? undefined : result === 'failed' }
    const { rows, older } = newestFirst(request, filteredPath(path, query, ['q', 'result']), ({ limit, before }) =>
      log.latest(limit, before, filter),
    )
    return {
      title: 'Requests',
      section: '/requests',
      follows: 'requests',
      content: (
        <>
          <p class="soft">Every request that programs have sent to the emulator, newest first. The newest 10,000 are kept.</p>
          <Filters
            action={path}
            query={query}
            search="Search requests"
            choices={[{ name: 'result', any: 'Any result', options: results }]}
          />
          {rows.length === 0 && <p>No requests.</p>}
          <ul class="rows">
            {rows.map((each) => (
              <Request request={each} log={log} />
            ))}
          </ul>
          {older}
        </>
      ),
    }
  },
})

const maxBodyCharacters = 20_000

function bodyOf(log: RequestLog, id: number): string | undefined {
  const bytes = log.body(id)
  if (bytes === null || bytes.byteLength === 0) return undefined
  const text = new TextDecoder().decode(bytes.subarray(0, maxBodyCharacters))
  return bytes.byteLength > maxBodyCharacters ? `${text}\n… (${bytes.byteLength} bytes in all)` : text
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** One request with its response, the bodies collapsed. */
export function Request({ request, log }: { readonly request: LoggedRequest; readonly log: RequestLog }) {
  const { id, at, method, path: target, query, status, fault, bytes, facts } = request
  const { call, ...others } = facts
  const parameters = [...new URLSearchParams(query)]
  const body = bodyOf(log, id)
  const answer = log.answer(id)
  const known = Object.entries(others).filter(([, value]) => value !== null && !parameters.some(([, sent]) => sent === value))
  return (
    <li id={`request-${id}`}>
      <strong>{method}</strong> <code>{decoded(target)}</code> <Status status={status} />{' '}
      {answer && <span class="soft">{answer.ms} ms</span>} {fault !== null && <span class="tag">fault: {fault}</span>}{' '}
      {typeof call === 'string' && <code>{call}</code>} <Time at={at} />
      <p>{[...known.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`), `${bytes} bytes`].join(' · ')}</p>
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      {body !== undefined && (
        <details id={`body-${id}`}>
          <summary>Body</summary>
          <Sent body={body} />
        </details>
      )}
      {answer?.body != null && answer.body !== '' && (
        <details id={`answer-${id}`}>
          <summary>Response</summary>
          <pre dir="auto">{indentJson(answer.body)}</pre>
        </details>
      )}
    </li>
  )
}

/** An address's parameters, each decoded. */
function Parameters({ parameters }: { readonly parameters: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts parameters">
      {parameters.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A GraphQL document as written, with its variables; JSON with one member per line; any other text as it is. */
function Sent({ body }: { readonly body: string }) {
  const sent = parseJson(body)
  if (!isObject(sent) || typeof sent['query'] !== 'string') return <pre dir="auto">{indentJson(body)}</pre>
  return (
    <>
      <pre dir="auto">{sent['query'].trim()}</pre>
      {isObject(sent['variables']) && <pre dir="auto">{JSON.stringify(sent['variables'], undefined, 2)}</pre>}
    </>
  )
}

function Status({ status }: { readonly status: number | null }) {
  if (status === null) return <span class="soft">no response yet</span>
  return <span class={status < 400 ? 'tag good' : 'tag bad'}>{status}</span>
}
