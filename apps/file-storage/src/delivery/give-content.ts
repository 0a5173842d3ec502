import type { JsonObject } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import type { FileContent } from '@mcp-toolkits/core/tool'
import type { Environment } from '@mcp-toolkits/core/upstream'
import { saveContent } from './saved-file.ts'
import { contentVariable, type ContentWay, contentWays, downloadDirVariable, readContentWay } from './ways.ts'

/** A result with content, and how it was requested. */
interface ContentRequest {
  readonly settings: { readonly environment: Environment }
  readonly data: JsonObject
  readonly way: unknown
  /** Makes a URL that expires; absent if no link can be made. */
  readonly link?: ((content: FileContent) => Promise<{ readonly url: string; readonly expiresAt: number }>) | undefined
  /** True for a client that shares this machine. */
  readonly isLocal: boolean
}

/** The parts of a result that carry its content. */
interface GivenContent {
  readonly fields?: JsonObject
  readonly programFields?: JsonObject
  readonly notice?: Message
  readonly isEmbedded: boolean
}

/** Returns a result's content in the way chosen by the call, or else by the operator. */
export async function giveContent(content: FileContent, request: ContentRequest): Promise<GivenContent> {
  const way = chosenWay(request)
  if (way === 'structured') {
    const content_base64 = Buffer.from(content.bytes.buffer, content.bytes.byteOffset, content.bytes.byteLength).toString('base64')
    return { programFields: { content_base64, content_type: content.mimeType }, isEmbedded: false }
  }
  if (way === 'file') return request.isLocal ? save(content, request) : link(content, request)
  return { isEmbedded: true, ...(typeof request.data['text'] !== 'string' && { notice: otherWays(request) }) }
}

function chosenWay({ way, settings: { environment } }: ContentRequest): ContentWay {
  if (way === undefined) return readContentWay(environment[contentVariable]) ?? 'resource'
  const chosen = readContentWay(way)
  if (chosen === undefined)
    throw new InvalidInput(
      `_meta["mcp-toolkits/content"] must be one of ${contentWays.join(', ')}, not ${quote(typeof way === 'string' ? way : typeof way, 80)}.`,
    )
  return chosen
}

async function save(content: FileContent, { settings: { environment } }: ContentRequest): Promise<GivenContent> {
  const directory = environment[downloadDirVariable] ?? ''
  if (directory === '')
    throw new InvalidInput(
      sentence`No folder for downloads is allowed: start the server with ${{ option: '--download-dir' }}, or pass "structured" as _meta["mcp-toolkits/content"].`,
    )
  return { fields: { saved_to: await saveContent(content, directory) }, isEmbedded: false }
}

async function link(content: FileContent, request: ContentRequest): Promise<GivenContent> {
  const made = await request.link?.(content)
  if (!made) throw new InvalidInput('This server gives no links. Pass "structured" as _meta["mcp-toolkits/content"] instead.')
  return { fields: { download_url: made.url, expires_at: new Date(made.expiresAt).toISOString() }, isEmbedded: false }
}

/** Advice for a host that drops attachments. */
function otherWays({ link: makeLink, isLocal }: Pick<ContentRequest, 'link' | 'isLocal'>): Message {
  const others = isLocal ? '"structured", or "file" for a file' : `"structured"${makeLink ? ', or "file" for a link' : ''}`
  const call = `It is attached as base64. If a host drops attachments, the call takes _meta["mcp-toolkits/content"]: ${others}.`
  return Message.of(call).and(Message.split(sentence`${{ option: '--content' }} sets that for all calls.`, ''))
}
