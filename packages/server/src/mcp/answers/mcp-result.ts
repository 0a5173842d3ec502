import { type ErrorBody, printableJson } from '@mcp-toolkits/core/errors'
import type { FileContent } from '@mcp-toolkits/core/tool'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { type Answer, tooLarge } from './answer.ts'
import { fitResult } from './fit-result.ts'

/** Maximum size of a result for a model, in bytes; about 20,000 tokens. Hosts cut longer results. */
const maxShownBytes = 80_000

/** Size, in bytes, above which a result is large. */
const largeBytes = 256 * 1024

/** True for an answer that takes milliseconds to convert to the protocol's form. */
export function isLarge(answer: Answer): boolean {
  return answer.ok && (answer.json?.length ?? 0) + (answer.content?.bytes.byteLength ?? 0) > largeBytes
}

/**
 * The answer in the protocol's form: the object, the same JSON as text for hosts that show only one of the two, and content once, as an
 * embedded resource for the person or a picture for the model. A result that is too long for a model is shortened in both forms.
 */
export function toToolResult(answer: Answer, embedded: boolean): CallToolResult {
  const marks = {
    ...(embedded && { 'mcp-toolkits/upstream': 'embedded' }),
    ...(answer.ok && answer.isReplay && { 'mcp-toolkits/replayed': true }),
  }
  const _meta = Object.keys(marks).length > 0 ? { _meta: marks } : {}
  if (!answer.ok) return { ...errorResult(answer.error), ..._meta }
  const { data, json = JSON.stringify(data), list, narrowing, programFields = {}, links = [] } = answer
  const fits = Buffer.byteLength(json) <= maxShownBytes
  const shown = fits ? { ...data } : fitResult(data, { maxBytes: maxShownBytes, list, narrowing })
  if (!shown) return { ...errorResult(tooLarge(maxShownBytes, narrowing).toJSON()), ..._meta }
  const resources = answer.content ? [contentBlock(answer.content)] : []
  const text = fits ? json : JSON.stringify(shown)
  return { content: [{ type: 'text', text }, ...resources, ...links], structuredContent: { ...shown, ...programFields }, ..._meta }
}

function errorResult(error: ErrorBody): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: printableJson(JSON.stringify({ error })) }] }
}

function contentBlock({ uri, mimeType, bytes, isPicture }: FileContent): ContentBlock {
  const blob = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  if (isPicture) return { type: 'image', data: blob, mimeType }
  return { type: 'resource', resource: { uri, mimeType, blob }, annotations: { audience: ['user'] } }
}
