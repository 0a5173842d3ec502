import type { Reading } from '@mcp-toolkits/core/arguments'
import { parseJson } from '@mcp-toolkits/core/json'
import { fileTypeOf, fileTypes, sortOrders } from '../drive/search.ts'
import { uploadTypes } from '../upload/media-type.ts'

/** What callers write when they mean a value of a parameter. Nothing here leads from one kind of thing to another. */

export const roleSynonyms = {
  ...synonyms('reader', 'viewer view read can_view can_read read_only view_only'),
  ...synonyms('commenter', 'comment can_comment reviewer'),
  ...synonyms('writer', 'editor edit write can_edit can_write contributor read_write'),
}

export const fileTypeSynonyms = {
  ...synonyms('document', 'doc docs gdoc gdocs google_doc google_docs google_document documents'),
  ...synonyms('spreadsheet', 'sheet sheets gsheet google_sheet google_sheets google_spreadsheet spreadsheets'),
  ...synonyms('slides', 'slide presentation presentations google_slides slideshow deck'),
  ...synonyms('drawing', 'drawings google_drawing'),
  ...synonyms('form', 'forms google_form google_forms'),
  ...synonyms('folder', 'folders directory directories dir'),
  ...synonyms('image', 'images photo photos picture pictures img'),
  ...synonyms('video', 'videos movie movies'),
  ...synonyms('audio', 'music sound sounds'),
  ...synonyms('script', 'scripts apps_script'),
  ...synonyms('sites', 'site google_sites google_site'),
  ...synonyms('pdf', 'pdfs .pdf pdf_file pdf_files'),
}

/** A MIME type is the type that covers exactly it; a format of which there is no type is only near to one. */
export function readFileType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const list = readList(written)
  if (list?.every((each) => fileTypes.includes(each)) === true) return { equal: list }
  const text = written.trim().toLowerCase()
  const exact = text.includes('/') ? fileTypeOf(text) : fileTypes.find((type) => text === type || text === `${type}s`)
  if (exact !== undefined) return { equal: exact }
  const near = Object.entries(nearTypes).find(([, formats]) => formats.split(' ').includes(text.replace(/^\./, '')))
  return near && { possible: [near[0]] }
}

const nearTypes = {
  document: 'docx word odt',
  spreadsheet: 'xlsx xls excel csv ods',
  slides: 'pptx ppt powerpoint',
  image: 'png jpg jpeg gif',
}

/** Names of Drive's sort keys, without the direction. */
const sortKeySynonyms: Readonly<Record<string, string>> = {
  ...synonyms('createdTime', 'created created_at creation_date date_created created_date creation_time'),
  ...synonyms(
    'modifiedTime',
    'modified modified_at updated updated_at last_modified date_modified modification_date last_updated edited changed',
  ),
  ...synonyms('name', 'title filename file_name alphabetical alphabetically'),
  ...synonyms('quotaBytesUsed', 'size file_size bytes'),
  ...synonyms('viewedByMeTime', 'viewed last_viewed opened last_opened viewed_at'),
  ...synonyms('sharedWithMeTime', 'shared shared_at date_shared'),
  ...synonyms('folder', 'folders folders_first folder_first'),
}

export const sortSynonyms = {
  ...synonyms('modifiedTime desc', 'newest latest most_recent recently_modified newest_first latest_first most_recently_modified'),
  ...synonyms('modifiedTime', 'oldest oldest_first least_recent'),
  ...synonyms('quotaBytesUsed desc', 'largest biggest largest_first'),
  ...synonyms('quotaBytesUsed', 'smallest smallest_first'),
  ...synonyms('name', 'a-z az'),
  ...synonyms('name desc', 'z-a za'),
}

/** A list that was written as one text: JSON, or values between commas. */
function readList(written: string): string[] | undefined {
  const parsed = parseJson(written)
  if (Array.isArray(parsed)) return parsed.every((each) => typeof each === 'string') ? parsed : undefined
  return written.includes(',') ? written.split(',').map((each) => each.trim()) : undefined
}

/** A key with its direction written in another way: `name asc`, `-name`, `name:descending`; synonyms of keys have to be confirmed. */
export function readSortKey(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const list = readList(written)
  if (list?.every((each) => sortOrders.includes(each)) === true) return { equal: list }
  const words = written
    .trim()
    .replace(/^[-+]/, '')
    .split(/[\s:]/)
    .filter((word) => word !== '')
  const direction = /^(?:asc|desc)(?:ending)?$/i.exec(words.at(-1) ?? '')?.[0]
  const key = (direction === undefined ? words : words.slice(0, -1)).join('')
  if (key === '') return undefined
  const isDescending = written.trim().startsWith('-') || /^desc/i.test(direction ?? '')
  const fold = (text: string) => text.toLowerCase().replace(/[\s_]/g, '')
  const suffix = isDescending ? ' desc' : ''
  const exact = sortOrders.find((order) => fold(order) === fold(key) && !order.endsWith(' desc'))
  if (exact !== undefined) return { equal: `${exact}${suffix}` }
  const synonym = Object.entries(sortKeySynonyms).find(([name]) => fold(name) === fold(key))?.[1]
  return synonym === undefined ? undefined : { likely: `${synonym}${suffix}` }
}

const mediaTypeSynonyms: Readonly<Record<string, string>> = {
  ...synonyms('text/plain', 'txt text plain plaintext plain_text .txt'),
  ...synonyms('text/csv', 'csv .csv application/csv'),
  ...synonyms('application/json', 'json .json text/json'),
  ...synonyms('text/html', 'html htm .html .htm'),
  ...synonyms('text/markdown', 'md markdown .md text/x-markdown'),
  ...synonyms('application/pdf', 'pdf .pdf application/x-pdf'),
  ...synonyms('image/png', 'png .png'),
  ...synonyms('image/jpeg', 'jpg jpeg .jpg .jpeg image/jpg image/pjpeg'),
  ...synonyms('image/gif', 'gif .gif'),
}

/** Any other type is detected where none is given; a Google document cannot be made at all. */
export function readMediaType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const text = (written.toLowerCase().split(';')[0] ?? '').trim()
  const exact = uploadTypes.find((type) => type === text)
  if (exact !== undefined) return { equal: exact }
  const synonym = mediaTypeSynonyms[text]
  if (synonym !== undefined) return { likely: synonym }
  return text.includes('google-apps') ? { possible: [] } : { likely: null }
}

/** Several e-mail addresses in one text. */
export function readAddressList(written: unknown): Reading | undefined {
  return typeof written === 'string' && written.includes('@') ? { equal: [written] } : undefined
}

/** `5 MB`, `512KB`, `1 MiB`: bytes. */
export function readByteSize(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(k|m)i?b?(?:ytes)?$/i.exec(written.trim()) ?? []
  return count === undefined ? undefined : { likely: Math.floor(Number(count) * 1024 ** (unit.toLowerCase() === 'k' ? 1 : 2)) }
}

function synonyms(value: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, value]))
}

export const pathNames = ['path', 'file', 'file_path', 'file_id', 'id', 'item', 'item_id', 'path_or_id']
export const folderNames = [
  'parent_path',
  'folder',
  'folder_path',
  'folder_id',
  'parent',
  'parent_id',
  'parent_folder',
  'parent_folder_id',
  'destination',
  'directory',
]
export const newNames = ['name', 'new_name', 'title', 'rename_to']
