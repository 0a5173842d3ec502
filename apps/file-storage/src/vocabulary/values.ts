import { parseJson } from '@mcp-toolkits/core/base'
import { type Reading, synonyms, words } from '@mcp-toolkits/core/tool'
import { fileTypeOf, fileTypes, sortOrders } from '../drive/listings/search.ts'
import { uploadTypes } from '../upload/media-type.ts'

/** Callers' words for a value of a parameter. No word here leads from one kind of thing to another. */

export const roleSynonyms = synonyms({
  reader: 'viewer viewers viewing view read can_view can_read read_only view_only ro r',
  commenter: 'comment comments commenting can_comment reviewer',
  writer: 'editor editors editing edit write can_edit can_write contributor read_write rw w modify',
})

export const fileTypeSynonyms = synonyms({
  document: 'doc docs gdoc gdocs google_doc google_docs google_document documents',
  spreadsheet: 'sheet sheets gsheet google_sheet google_sheets google_spreadsheet spreadsheets',
  slides: 'slide presentation presentations google_slides slideshow deck',
  drawing: 'drawings google_drawing',
  form: 'forms google_form google_forms',
  folder: 'folders directory directories dir',
  image: 'images photo photos picture pictures img',
  video: 'videos movie movies',
  audio: 'music sound sounds',
  script: 'scripts apps_script',
  sites: 'site google_sites google_site',
  pdf: 'pdfs .pdf pdf_file pdf_files',
})

/** Words for access that say nothing of its kind: `edit access`, `can view`. */
const roleFillers = ['access', 'right', 'rights', 'permission', 'permissions', 'role', 'roles', 'can', 'only', 'privileges', 'level']

/** A role in several words that all say the same; any other word, such as "not", leaves it unread. */
export function readRole(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const roles: Readonly<Record<string, string>> = { ...roleSynonyms, reader: 'reader', commenter: 'commenter', writer: 'writer' }
  const words = written.toLowerCase().split(/[\s_/:()-]+/)
  const meant = new Set(words.filter((word) => word !== '' && !roleFillers.includes(word)).map((word) => roles[word]))
  const [role, ...others] = [...meant]
  // "write-only" is no role.
  return role === undefined || others.length > 0 || (role === 'writer' && words.includes('only')) ? undefined : { likely: role }
}

/** Reads a file type. A MIME type means the type that covers exactly it; a format without a type of its own is only near to one. */
export function readFileType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const list = readList(written) ?? splitWords(written, /[;|]|\s(?:and|or|&)\s/i)
  if (list) return allOf(list.map((each) => readOneType(each)))
  return readOneType(written)
}

function readOneType(written: string): Reading | undefined {
  const text = written
    .trim()
    .toLowerCase()
    .replace(/^(?:file[\s_]?)?types?\s*[:=]\s*/, '')
    .replace(/^(?:vnd\.)?google-apps\./, 'application/vnd.google-apps.')
  const exact = text.includes('/') ? fileTypeOf(text) : fileTypes.find((type) => text === type || text === `${type}s`)
  if (exact !== undefined) return { equal: exact }
  const word = text.replace(/^adobe\s/, '').replace(/\s(?:files?|format|type)$/, '')
  const synonym: string | undefined = fileTypes.find((type) => type === word) ?? synonymOf(word, fileTypeSynonyms)
  if (synonym !== undefined) return { likely: synonym }
  const near = Object.entries(nearTypes).find(([, formats]) => words(formats).includes(text.replace(/^\./, '')))
  return near && { possible: [near[0]] }
}

function synonymOf(text: string, synonyms: Readonly<Record<string, string>>): string | undefined {
  const fold = (each: string) => each.toLowerCase().replace(/[\s_-]/g, '')
  return Object.entries(synonyms).find(([word]) => fold(word) === fold(text))?.[1]
}

/** Several readings as that of a list, which is as certain as the least certain of them. */
function allOf(readings: readonly (Reading | undefined)[]): Reading | undefined {
  const values = readings.flatMap((reading) =>
    reading && 'equal' in reading ? [reading.equal] : reading && 'likely' in reading ? [reading.likely] : [],
  )
  if (values.length < readings.length) return undefined
  return readings.every((reading) => reading && 'equal' in reading) ? { equal: values } : { likely: values }
}

const nearTypes = {
  document: 'docx word odt',
  spreadsheet: 'xlsx xls excel csv ods',
  slides: 'pptx ppt powerpoint',
  image: 'png jpg jpeg gif',
}

/** Names of Drive's sort keys, without the direction. */
const sortKeySynonyms = synonyms({
  createdTime: 'created created_at creation creation_date date_created created_date creation_time',
  modifiedTime:
    'modified modified_at modified_date updated updated_at updated_time last_modified last_modified_time last_modified_date date_modified modification_date modification_time last_updated last_edited edited changed',
  name: 'title filename file_name alphabetical alphabetically',
  quotaBytesUsed: 'size file_size bytes',
  viewedByMeTime: 'viewed last_viewed opened last_opened viewed_at',
  sharedWithMeTime: 'shared shared_at date_shared',
  folder: 'folders folders_first folder_first',
})

export const sortSynonyms = synonyms({
  'modifiedTime desc': 'newest latest most_recent recently_modified newest_first latest_first most_recently_modified',
  modifiedTime: 'oldest oldest_first least_recent',
  'quotaBytesUsed desc': 'largest biggest largest_first',
  quotaBytesUsed: 'smallest smallest_first',
  name: 'a-z az',
  'name desc': 'z-a za',
})

/** A list that was written as one text: JSON, or values between commas, perhaps in brackets. */
function readList(written: string): string[] | undefined {
  const parsed = parseJson(written)
  if (Array.isArray(parsed)) return parsed.every((each) => typeof each === 'string') ? parsed : undefined
  return splitWords(written.replace(/^\s*\[(.*)\]\s*$/s, '$1'), ',')
}

function splitWords(written: string, separator: string | RegExp): string[] | undefined {
  const parts = written.split(separator).map((each) => each.trim())
  return parts.length > 1 && parts.every((part) => part !== '') ? parts : undefined
}

/** Reads a key whose direction is written in another way: `name asc`, `-name`, `name:descending`; synonyms of keys need a confirmation. */
export function readSortKey(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const list = readList(written)
  return list ? allOf(list.map(readOneKey)) : readOneKey(written)
}

function readOneKey(written: string): Reading | undefined {
  if (sortOrders.includes(written)) return { equal: written }
  const words = written
    .trim()
    .replace(/^(?:(?:sort|order)(?:ed)?\s)?by\s/i, '')
    .replace(/^[-+]/, '')
    .split(/[\s:()]+/)
    .filter((word) => word !== '')
  const directions = words.filter((word, index) => isDirection(word) && (index === 0 || index === words.length - 1))
  const key = words.filter((word) => !directions.includes(word)).join('')
  if (key === '' || directions.length > 1) return undefined
  const isDescending = written.trim().startsWith('-') || /^desc/i.test(directions[0] ?? '')
  const directed = directions.length > 0 ? synonymOf(key, sortSynonyms) : undefined
  if (directed !== undefined) return { possible: bothWays(directed, isDescending) }
  const suffix = isDescending ? ' desc' : ''
  const exact = sortOrders.find((order) => !order.endsWith(' desc') && synonymOf(key, { [order]: order }) !== undefined)
  if (exact !== undefined) return { equal: `${exact}${suffix}` }
  const synonym = synonymOf(key, sortKeySynonyms)
  return synonym === undefined ? undefined : { likely: `${synonym}${suffix}` }
}

/** "newest desc" says the same twice, "newest asc" one thing and its opposite. */
function bothWays(order: string, isDescending: boolean): string[] {
  const key = order.replace(/ desc$/, '')
  return order.endsWith(' desc') === isDescending ? [order] : [key, `${key} desc`]
}

function isDirection(word: string): boolean {
  return /^(?:asc|desc)(?:ending)?$/i.test(word)
}

const mediaTypeSynonyms = synonyms({
  'text/plain': 'txt text plain plaintext plain_text .txt',
  'text/csv': 'csv .csv application/csv',
  'application/json': 'json .json text/json',
  'text/html': 'html htm .html .htm',
  'text/markdown': 'md markdown .md text/x-markdown',
  'application/pdf': 'pdf .pdf application/x-pdf',
  'image/png': 'png .png',
  'image/jpeg': 'jpg jpeg .jpg .jpeg image/jpg image/pjpeg',
  'image/gif': 'gif .gif',
})

/** Any other type is detected if none is given; a Google document cannot be made at all. */
export function readMediaType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const text = (written.toLowerCase().split(';')[0] ?? '').trim()
  const exact = uploadTypes.find((type) => type === text)
  if (exact !== undefined) return { equal: exact }
  const synonym = mediaTypeSynonyms[text]
  if (synonym !== undefined) return { likely: synonym }
  return /google|gdoc|convert/.test(text) ? { possible: [] } : { likely: null }
}

/** Several email addresses in one text. */
export function readAddressList(written: unknown): Reading | undefined {
  return typeof written === 'string' && written.includes('@') ? { equal: [written] } : undefined
}
