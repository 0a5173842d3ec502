import { InvalidInput, NotFound } from '@mcp-toolkits/core/errors'
import { type CallScope, confirmCreated } from '@mcp-toolkits/core/tool'
import type * as z from 'zod'
import { createOnce, type LinearCall } from '../../linear/client.ts'
import type { FileBytes, LinearFiles } from '../../linear/files.ts'
import { createComment } from '../../linear/issues/comments.ts'
import { attachFile, type issueWithEarlier } from '../../linear/issues/issue-files.ts'
import { showsLine, showsText, showsUrl } from '../../linear/stored.ts'
import { addressesIn, nameIn } from './issue-files.ts'

interface NewFile {
  readonly source_url?: string | undefined
  readonly content?: string | undefined
  readonly file_name?: string | undefined
}

/** A new file's name. Throws `InvalidInput` if it has no name, or if its content does not come from exactly one source. */
export function fileName({ source_url: url, content, file_name: given }: NewFile): string {
  if ((url === undefined) === (content === undefined))
    throw new InvalidInput('Pass either source_url, the public URL of the file, or content, its text. Nothing was attached.')
  if (url !== undefined && !/^https?:\/\//i.test(url.trim()))
    throw new InvalidInput(
      '"source_url" must be a public http(s) URL; local files cannot be read. Pass text as content. Nothing was attached.',
    )
  const name = (given ?? (url === undefined ? '' : nameIn(url))).trim()
  if (name === '') throw new InvalidInput('Pass file_name, with its extension. Nothing was attached.')
  if (/[/\\\p{Cc}]/u.test(name)) throw new InvalidInput('"file_name" must be a name alone: no folder, slash or control character.')
  return name
}

/** Text types by file name extension. */
const textTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  xml: 'application/xml',
  svg: 'image/svg+xml',
}

/** A new file's bytes and type. */
export async function contentOf(
  { source_url: url, content = '' }: NewFile,
  name: string,
  { files, scope }: { readonly files: LinearFiles; readonly scope: CallScope },
): Promise<FileBytes> {
  if (url !== undefined) {
    const file = await files.fetchPublic(url, scope)
    if (file.mediaType !== 'text/html' || /\.html?$/i.test(name)) return file
    throw new InvalidInput(
      "The URL returned a page instead of a file: it may be for signing in or starting a download. Nothing was attached. Pass the file's own URL.",
    )
  }
  return { bytes: Buffer.from(content), mediaType: textTypes[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/plain' }
}

type IssueWithEarlier = z.output<typeof issueWithEarlier.data>['issue']

/** The file that an earlier attempt added to an issue; undefined if there is none. */
export function earlierFile({ attachments, comments }: IssueWithEarlier, isKept: LinearFiles['isKept']): AddedFile['file'] | undefined {
  const [[attachment], [comment]] = [attachments, comments]
  if (attachment) return { title: attachment.title, url: attachment.url, attachment_id: attachment.id }
  const linked = comment && addressesIn(comment.body).findLast(({ url }) => isKept(url))
  return linked && { ...linked, comment_id: comment.id }
}

/** A file that Linear has stored. */
interface StoredFile {
  readonly title: string
  readonly url: string
  readonly bytes: number
}

interface Target {
  readonly issueId: string
  readonly ids: { readonly attachment: string; readonly comment: string }
  /** Text of the comment that carries the file; if absent, the file becomes an attachment. */
  readonly comment: string | undefined
  readonly isPicture: boolean
}

interface AddedFile {
  readonly file: Pick<StoredFile, 'title' | 'url'> & {
    readonly bytes?: number
    readonly attachment_id?: string
    readonly comment_id?: string
  }
  readonly wasCreatedEarlier: boolean
  /** Notice about the parts that Linear does not show. */
  readonly unconfirmed?: string | undefined
}

/** Makes a URL safe in a Markdown link, which an unpaired bracket would end. */
export const linkable = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29')

/** Adds a stored file to an issue once, under the call's ids. */
export async function addToIssue(linear: LinearCall, stored: StoredFile, { issueId, ids, comment, isPicture }: Target): Promise<AddedFile> {
  const { title, url } = stored
  if (comment !== undefined) {
    const link = `${isPicture ? '!' : ''}[${title.replaceAll(/[[\]\\]/g, String.raw`\$&`)}](${url})`
    const body = `${comment.trim()}\n\n${link}`
    const { record, wasCreatedEarlier } = await createComment(linear, { id: ids.comment, issueId, body })
    const shown = { comment: showsText(body, record.body), file: record.body.includes(url) }
    const unconfirmed = confirmCreated('Linear', shown)
    return { file: { ...stored, comment_id: record.id }, wasCreatedEarlier, unconfirmed }
  }
  const input = { id: ids.attachment, issueId, url, title }
  const { record, wasCreatedEarlier } = await createOnce(
    async () => (await linear.send(attachFile, { attachment: input })).attachment_create.attachment,
    () => Promise.reject(new NotFound('Linear accepted the attachment but does not return it.')),
  )
  const unconfirmed = confirmCreated('Linear', { title: showsLine(title, record.title), file: showsUrl(url, record.url) })
  return { file: { ...stored, title: record.title, url: record.url, attachment_id: record.id }, wasCreatedEarlier, unconfirmed }
}
