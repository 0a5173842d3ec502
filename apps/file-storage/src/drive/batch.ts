import { randomUUID } from 'node:crypto'
import { RateLimited, type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { Attempts, type CompleteResponse, jsonOf, withRetry } from '@mcp-toolkits/core/upstream'
import type * as z from 'zod'
import { completeResponse, transferRetryPolicy, vendor, type DriveClient } from './client.ts'
import { errorFrom, notDriveResponse, uploadErrorFrom } from './errors.ts'
import { requestSilenceMs } from './files.ts'

/** Maximum number of requests in a batch. https://developers.google.com/workspace/drive/api/guides/performance#batch-requests */
export const maxBatch = 100

/** Items to read in a batch: their ids, schema and fields. */
export interface BatchedItems<ItemSchema extends z.ZodType> {
  readonly ids: readonly string[]
  readonly item: ItemSchema
  readonly fields: string
}

/** Reads items by id in one request; each result is the item or its error. Throws errors that affect all items or that a retry may fix. */
export async function getItems<ItemSchema extends z.ZodType>(
  drive: DriveClient,
  { ids, item, fields }: BatchedItems<ItemSchema>,
  scope: CallScope,
): Promise<(z.output<ItemSchema> | ToolError)[]> {
  if (ids.length === 0) return []
  const boundary = `batch_${randomUUID()}`
  const keys = Object.entries(drive.resourceKeys.headers()).map(([name, value]) => `${name}: ${value}\r\n`)
  const parts = ids.map((id, index) => {
    const target = `/drive/v3/files/${encodeURIComponent(id)}?supportsAllDrives=true&fields=${encodeURIComponent(fields)}`
    const head = `--${boundary}\r\nContent-Type: application/http\r\nContent-ID: <${index}>\r\n\r\n`
    return `${head}GET ${target} HTTP/1.1\r\n${keys.join('')}\r\n\r\n`
  })
  const read = async (response: Response) => {
    const complete = await completeResponse(response)
    if (!complete.ok) throw uploadErrorFrom(complete)
    const answers = readParts(complete.text, complete.headers.get('content-type'))
    return ids.map((_, index) => {
      const answer = answers.get(index)
      if (!answer) throw notDriveResponse(response.status)
      const result = answer.ok ? item.safeParse(jsonOf(answer, vendor)) : undefined
      if (result?.success === true) return result.data
      const error = result ? notDriveResponse(answer.status) : errorFrom(answer)
      if (error instanceof Unavailable || error instanceof RateLimited || error.code === 'unauthenticated') throw error
      return error
    })
  }
  const headers = { 'content-type': `multipart/mixed; boundary=${boundary}` }
  const body = Buffer.from(`${parts.join('')}--${boundary}--\r\n`)
  const request = { to: 'batch/drive/v3', method: 'POST', headers, body, silenceMs: requestSilenceMs, read }
  const attempts = new Attempts(transferRetryPolicy, scope)
  return withRetry(attempts, () => drive.transfer({ ...request, isRetry: attempts.hasFailed }, scope))
}

/** The responses in a batch, by request number. Unreadable parts are omitted. */
function readParts(text: string, contentType: string | null): Map<number, CompleteResponse> {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return new Map()
  const parts = text.split(`--${boundary}`).flatMap((part): [number, CompleteResponse][] => {
    const [outer = '', head = '', ...body] = part.replaceAll('\r\n', '\n').split('\n\n')
    const index = /^content-id: <response-(\d+)>/im.exec(outer)?.[1]
    const [line = '', ...fields] = head.split('\n')
    const status = Number(/^HTTP\/[\d.]+ (\d{3})/.exec(line)?.[1])
    if (index === undefined || Number.isNaN(status)) return []
    const isOk = status >= 200 && status < 300
    return [[Number(index), { ok: isOk, status, headers: readHeaders(fields), url: '', text: body.join('\n\n').trim() }]]
  })
  return new Map(parts)
}

/** The valid fields of a header block, which is untrusted. */
function readHeaders(fields: readonly string[]): Headers {
  const headers = new Headers()
  for (const field of fields) {
    const [name = '', ...value] = field.split(':')
    if (/^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value.join(''))) headers.append(name, value.join(':'))
  }
  return headers
}
