import { InvalidInput, joinWords, NotFound, quote } from '@mcp-toolkits/core/errors'
import { rank } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import type { IssueFiles } from '../../linear/issues/issue-files.ts'
import { compact, peopleIn, text, optionalText } from '../../tools/rows.ts'

export const FileRow = z.object({
  title: text,
  url: text,
  kind: z.enum(['file', 'link']).describe('A link leads to another service.'),
  found_in: z.enum(['attachments', 'description', 'comment']),
  comment_id: optionalText,
  by: optionalText,
  created_at: optionalText,
})
export type FileRow = z.output<typeof FileRow>

/** Maximum length of a link title to read. */
const maxTitle = 1_000

/** A URL in prose, without trailing punctuation and unpaired brackets. */
const address = /https?:\/\/(?:[^\s<>()"[\]]|\([^\s<>()"[\]]*\))*(?:[^\s<>()"[\].,;:!?*_~'`]|\([^\s<>()"[\]]*\))/g

/** The URLs in Markdown text, each with the title of its link, or else the name of its file. */
export function addressesIn(body: string): { readonly title: string; readonly url: string }[] {
  return [...body.matchAll(address)].map(({ 0: url, index }) => {
    const title = titleOf(body.slice(Math.max(0, index - maxTitle), index))
    return { title: title === '' ? nameIn(url) : title, url }
  })
}

/** The title of the link whose URL follows; empty for a bare URL. */
function titleOf(before: string): string {
  const end = ['](', '](<'].find((mark) => before.endsWith(mark))
  if (end === undefined) return ''
  const text = before.slice(0, -end.length)
  let start = text.lastIndexOf('[')
  while (start > 0 && text[start - 1] === '\\') start = text.lastIndexOf('[', start - 1)
  return start < 0 ? '' : text.slice(start + 1).replaceAll(/\\([[\]\\])/g, '$1')
}

/** Everything attached to an issue: its attachments, and the files in its description and comments. */
export function filesOf(issue: IssueFiles, isKept: (url: string) => boolean): FileRow[] {
  const person = peopleIn([...issue.attachments.map(({ creator }) => creator), ...issue.comments.map(({ user }) => user)])
  const inText = (body: string, place: Omit<FileRow, 'title' | 'url' | 'kind'>) =>
    addressesIn(body).flatMap((file): FileRow[] => (isKept(file.url) ? [compact({ ...file, kind: 'file', ...place })] : []))
  return [
    ...issue.attachments.map(({ title, url, creator, created_at: createdAt }): FileRow => {
      const kind = isKept(url) ? 'file' : 'link'
      return compact({ title, url, kind, found_in: 'attachments', by: person(creator), created_at: createdAt })
    }),
    ...inText(issue.description ?? '', { found_in: 'description' }),
    ...issue.comments.flatMap(({ id, body, user, created_at: createdAt }) =>
      inText(body, { found_in: 'comment', comment_id: id, by: person(user), created_at: createdAt }),
    ),
  ]
}

/** The last part of a URL, without its signature. */
export function nameIn(url: string): string {
  const last =
    URL.parse(url)
      ?.pathname.split('/')
      .findLast((part) => part !== '') ?? url
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** The file that text names by URL, title or file name. Throws `NotFound`, and `InvalidInput` if several have the name. */
export function findFile(files: readonly FileRow[], wanted: string, issue: IssueFiles): FileRow {
  const { identifier } = issue
  const fold = (name: string) => name.trim().normalize('NFC').toLowerCase()
  const withoutQuery = (url: string) => url.split('?')[0]
  const rules = [
    ({ url }: FileRow) => withoutQuery(url) === withoutQuery(wanted.trim()),
    ({ title }: FileRow) => fold(title) === fold(wanted),
    ({ url }: FileRow) => fold(nameIn(url)) === fold(wanted),
  ]
  const found = rules.map((rule) => files.filter(rule)).find(({ length }) => length > 0) ?? []
  const urls = [...new Set(found.map(({ url }) => url))]
  const [first] = found
  if (first && urls.length === 1) return first
  const suggestion = (value: string, confidence: number) => ({ value, parameter: 'attachment', confidence })
  if (first) {
    const suggestions = urls.slice(0, 3).map((url) => suggestion(url, 0.6))
    throw new InvalidInput(`${identifier} has ${urls.length} files named ${quote(wanted, 80)}. Pass the URL of one.`, {
      suggestions,
    })
  }
  const titles = [...new Set(files.map(({ title }) => title))]
  const closest = rank(wanted, titles, { minConfidence: 0.5 }).slice(0, 3)
  const more = titles.length > 10 ? ' and others' : ''
  const has = titles.length === 0 ? 'none' : joinWords(titles.slice(0, 10).map((title) => quote(title, 60)))
  const isCut = issue.has_more_attachments || issue.has_more_comments
  const cut = isCut ? ' Only the newest 100 attachments and comments were searched.' : ''
  throw new NotFound(`${identifier} has no attachment ${quote(wanted, 80)}. Attachments: ${has}${more}.${cut}`, {
    suggestions: closest.map(({ value, confidence }) => suggestion(value, confidence)),
  })
}
