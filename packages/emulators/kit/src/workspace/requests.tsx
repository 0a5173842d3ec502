import { isObject, parseJson } from '../json.ts'
import type { LoggedRequest, RequestLog } from '../request-log.ts'
import { indentJson, More, Time } from './elements.tsx'
import { pageSize, type WorkspacePage } from './workspace.ts'

/** The requests that arrived, newest first. */
export const requestPage = (log: RequestLog): WorkspacePage => ({
  path: '/requests',
  show({ query }) {
    const before = Number(query('before') ?? Number.MAX_SAFE_INTEGER)
    const found = log.latest(pageSize + 1, before)
    const shown = found.slice(0, pageSize)
    return {
      title: 'Requests',
      section: '/requests',
      showsRequests: true,
      content: (
        <>
          <p class="soft">What programs have asked of the emulator, newest first. The newest 10,000 are stored.</p>
          {shown.length === 0 && <p>None yet.</p>}
          <ul class="rows">
            {shown.map((request) => (
              <Request request={request} body={bodyOf(log, request.id)} />
            ))}
          </ul>
          <More href={found.length > pageSize ? `/workspace/requests?before=${shown.at(-1)?.id ?? 0}` : undefined} label="Older" />
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

function Request({ request, body }: { readonly request: LoggedRequest; readonly body: string | undefined }) {
  const { id, at, method, path, query, status, fault, bytes, facts } = request
  const { call, ...others } = facts
  return (
    <li id={`request-${id}`}>
      <strong>{method}</strong> <code>{query === '' ? path : `${path}?${query}`}</code> <Status status={status} />{' '}
      {fault !== null && <span class="tag">fault: {fault}</span>} {typeof call === 'string' && <code>{call}</code>} <Time at={at} />
      <p>
        {Object.entries(others)
          .filter(([, value]) => value !== null)
          .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
          .join(' · ')}
        {` · ${bytes} bytes`}
      </p>
      {body !== undefined && (
        <details id={`body-${id}`}>
          <summary>Body</summary>
          <pre dir="auto">{readable(body)}</pre>
        </details>
      )}
    </li>
  )
}

/** A GraphQL document as it was written, with its variables; JSON with one member a line; any other text as it is. */
function readable(body: string): string {
  const sent = parseJson(body)
  if (!isObject(sent) || typeof sent['query'] !== 'string') return indentJson(body)
  return `${sent['query'].trim()}\n\n${JSON.stringify(sent['variables'] ?? {}, undefined, 2)}`
}

function Status({ status }: { readonly status: number | null }) {
  if (status === null) return <span class="soft">no answer yet</span>
  return <span class={status < 400 ? 'good' : 'bad'}>{status}</span>
}
