import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Exchange } from '@mcp-toolkits/emulator'
import { badRequest } from '../http/errors.ts'
import { parseHeaders, parsePart, splitParts } from '../uploads/requests.ts'

const maxCalls = 100
const maxUrlLength = 8_000

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** Answers one request in a batch. */
type Answer = (request: Request, exchange: Exchange) => Response | Promise<Response>

interface BatchOptions {
  readonly answer: Answer
  /** Turns one of Drive's errors into a response, and rethrows any other error. */
  readonly failed: (error: unknown) => Response
}

/** Answers a batch of requests in order: https://developers.google.com/workspace/drive/api/guides/performance#batch-requests. */
export async function answerBatch(exchange: Exchange, options: BatchOptions): Promise<Response> {
  const { body, headers } = exchange.received
  const parts = splitParts(body, headers.get('content-type'))
  if (parts.length > maxCalls) throw badRequest(`The batch has ${parts.length} calls. A batch has at most ${maxCalls}.`)
  const boundary = `batch_${randomUUID()}`
  const pieces: Buffer[] = []
  for (const part of parts) {
    const { id, response } = await answerPart(part, exchange, options)
    const heading = `--${boundary}\r\nContent-Type: application/http\r\n${id === null ? '' : `Content-ID: ${responseId(id)}\r\n`}\r\n`
    pieces.push(Buffer.from(heading), await toBytes(response), Buffer.from('\r\n'))
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return new Response(new Uint8Array(Buffer.concat(pieces)), { headers: { 'content-type': `multipart/mixed; boundary=${boundary}` } })
}

/** `<item>` is answered by `<response-item>`. */
const responseId = (id: string) => (id.startsWith('<') ? `<response-${id.slice(1)}` : `response-${id}`)

/** Answers one part. An unreadable part gets an error response; the other parts are still answered. */
async function answerPart(
  part: Buffer,
  exchange: Exchange,
  { answer, failed }: BatchOptions,
): Promise<{ readonly id: string | null; readonly response: Response }> {
  let id: string | null = null
  try {
    const { headers, content } = parsePart(part)
    id = headers.get('content-id')
    const response = await answerCall(parseRequest(content, exchange), (received) => {
      const { url, method, headers, body } = received
      return answer(new Request(url, { method, headers, ...(hasBody(method) && { body }) }), { ...exchange, received })
    })
    return { id, response }
  } catch (error) {
    return { id, response: failed(error) }
  }
}

async function toBytes(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer())
  const status = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n`
  const headers = [...response.headers].filter(([name]) => name !== 'content-length').map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${status}${headers.join('')}Content-Length: ${body.length}\r\n\r\n`), body])
}

/** Answers a call; a download gets a redirect to the content. */
async function answerCall(
  call: Exchange['received'],
  answer: (received: Exchange['received']) => Response | Promise<Response>,
): Promise<Response> {
  if (call.method !== 'GET' || call.url.searchParams.get('alt') !== 'media') return answer(call)
  const url = new URL(call.url)
  url.searchParams.delete('alt')
  const response = await answer({ ...call, url })
  return response.ok ? new Response(null, { status: 302, headers: { location: call.url.href } }) : response
}

const hasBody = (method: string) => method !== 'GET' && method !== 'HEAD'

/** The request in a part. A part without a token uses the batch's. */
function parseRequest(content: Buffer, { received }: Exchange): Exchange['received'] {
  const [, head = '', gap = ''] = /^([\s\S]*?)(\r?\n\r?\n|\r?\n?$)/.exec(content.toString('latin1')) ?? []
  const [line = '', ...fields] = head.split(/\r?\n/)
  const [, method = '', target = ''] = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/.exec(line.trim()) ?? []
  const url = target === '' || target.length > maxUrlLength ? null : URL.parse(target, received.url.origin)
  if (url === null) throw badRequest('Failed to parse batch request: a part has no readable request line.')
  if (!url.pathname.startsWith('/drive/v3/')) throw badRequest('A batch can contain only Drive API calls that upload no content.')
  if (!methods.includes(method)) throw badRequest(`Failed to parse batch request: a call cannot have the method ${method}.`)
  const headers = parseHeaders(fields)
  const authorization = received.headers.get('authorization')
  if (authorization !== null && !headers.has('authorization')) headers.set('authorization', authorization)
  const body = new Uint8Array(content.subarray(head.length + gap.length))
  const request = new URL(url.pathname + url.search, received.url.origin)
  return { ...received, method, url: request, path: request.pathname, headers, body, bytes: () => body.length }
}
