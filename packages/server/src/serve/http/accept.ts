import { isObject, member } from '@mcp-toolkits/core/base'

type Answer = (request: Request, options?: { readonly parsedBody?: unknown }) => Promise<Response>

const both = 'application/json, text/event-stream'

/**
 * Answers clients whose `Accept` is not what the protocol and the SDK require: it is missing, has wildcards, or names only JSON. A client
 * that does not name streams gets JSON, which every client can read, and therefore no progress reports.
 */
export function withAccept(answer: Answer): Answer {
  return async (request, options) => {
    const accepted = request.headers.get('accept')
    const ranges = (accepted ?? '*/*')
      .toLowerCase()
      .split(',')
      .filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
    const accepts = (...types: readonly string[]) => ranges.some((range) => types.includes(range.split(';')[0]?.trim() ?? ''))
    const takesStream = accepts('text/event-stream', 'text/*')
    if (options?.parsedBody === undefined || accepted === both || !(takesStream || accepts('*/*', 'application/json', 'application/*')))
      return answer(request, options)
    const headers = new Headers(request.headers)
    headers.set('accept', both)
    const { url, method, signal } = request
    const response = await answer(new Request(url, { method, headers, signal }), options)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const isSubscription = member(options.parsedBody, 'method') === 'subscriptions/listen'
    return isStream && !takesStream && !isSubscription ? toJson(response, Array.isArray(options.parsedBody)) : response
  }
}

/** The answers in an event stream, without the notifications before them. */
async function toJson(stream: Response, isBatch: boolean): Promise<Response> {
  const events = (await stream.text()).split(/\r?\n\r?\n/)
  const data = events.map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line = '']) => line).join('\n'))
  const messages = data.filter((text) => text !== '').map((text): unknown => JSON.parse(text))
  const answers = messages.filter((message) => isObject(message) && !('method' in message))
  return Response.json(isBatch ? answers : answers[0], { status: stream.status })
}
