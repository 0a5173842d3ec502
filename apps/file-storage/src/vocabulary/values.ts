import { type Reading, synonyms, words } from '@mcp-toolkits/core/tool'
import { fileTypeOf, fileTypes, sortOrders } from '../drive/listings/search.ts'
import { maxChunkBytes } from '../drive/content/downloads.ts'
import { uploadTypes } from '../upload/media-type.ts'

/** Callers' words for a parameter's values. No word here leads from one kind of thing to another. */

export const roleSynonyms = synonyms({
  reader: 'reader viewer viewers viewing view read read_only view_only ro r',
  commenter: 'commenter comment comments commenting reviewer',
  writer: 'writer editor editors editing edit write contributor read_write rw w modify',
})

export const circleSynonyms = synonyms({
  restricted: 'private none closed off only_people specific_people invited',
  domain: 'organization organisation company workspace org team internal',
  anyone: 'public link anyone_with_link anyone_with_the_link everyone all open web',
})

/** The value that a word is a synonym for. */
const valueOf = (word: string, values: Readonly<Record<string, string>>) => (Object.hasOwn(values, word) ? values[word] : undefined)

/** Words for access that do not say which role. */
const roleFillers = 'access right rights permission permissions role roles can only privileges level'.split(' ')

/** A role in several words that all mean the same: "edit access", "can view"; any other word, such as "not", makes it unreadable. */
export function readRole(written: unknown): Reading | undefined {
  const text = String(written).toLowerCase()
  const words = text.split(/[\s_/:()-]+/)
  const said = words.filter((word) => word !== '' && !roleFillers.includes(word))
  const [role, ...others] = new Set(said.map((word) => valueOf(word, roleSynonyms)))
  // "write-only" is not a role.
  return role === undefined || others.length > 0 || (role === 'writer' && words.includes('only')) ? undefined : { likely: role }
}

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
  pdf: 'pdfs .pdf pdf_file pdf_files adobe_pdf',
})

/** Formats without a file type, which wishes put into a search's query. */
const otherFormats = words('csv tsv md markdown txt plain json xml yaml html zip epub')
/** A parameter with only such formats; the query, the folder and the drive may contain anything. */
export const formatsInQuery = new RegExp(
  `^(?!query|folder|shared)[^:]+: \\W*(?:text/)?(?:${otherFormats.join('|')})(?:[\\s"',.]+(?:${otherFormats.join('|')}))*\\W*$`,
  'i',
)
export function extensionOf(format: string): string {
  const name = format.toLowerCase().replace(/^(?:\W|text\/)+/, '')
  return valueOf(name, { markdown: 'md', plain: 'txt' }) ?? name
}

/** Reads a file type; a MIME type means the file type that covers it. */
export function readFileType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const text = written.trim().toLowerCase()
  const mimeType = text.replace(/^(?:vnd\.)?google-apps\./, 'application/vnd.google-apps.')
  const exact = fileTypeOf(mimeType) ?? fileTypes.find((type) => type === text)
  // The kind of an Office format has other formats too.
  if (exact !== undefined) return /^application\/(?!pdf|vnd\.google)/.test(mimeType) ? { likely: exact } : { equal: exact }
  const format = text.replace(/^(?:\.|text\/)/, '')
  // The type of Google's documents, however similar its name, would miss such a file.
  if (otherFormats.includes(format)) return { likely: null }
  const kind = format.replace(/[ _-](?:file|doc|document|spreadsheet|workbook|presentation)s?$/, '')
  const wider = valueOf(kind, formats) ?? fileTypes.find((type) => text.startsWith(`${type}/`))
  return wider === undefined ? undefined : { likely: wider }
}

const formats = synonyms({
  document: 'docx odt rtf word ms_word microsoft_word',
  spreadsheet: 'xlsx xls ods excel ms_excel microsoft_excel',
  slides: 'pptx ppt odp powerpoint ms_powerpoint microsoft_powerpoint',
  image: 'png jpg jpeg gif webp svg bmp tif tiff heic',
  video: 'mp4 mpeg mov avi mkv webm',
  audio: 'mp3 wav m4a flac ogg aac',
})

/** Names of Drive's sort keys, without the direction and words such as `last` and `date`. */
const sortKeys = synonyms({
  createdTime: 'created create creation',
  modifiedTime: 'modified modification updated edited changed',
  name: 'title filename alphabetical alphabetically',
  quotaBytesUsed: 'size filesize bytes',
  viewedByMeTime: 'viewed opened',
  sharedWithMeTime: 'shared',
  folder: 'folders foldersfirst folderfirst',
})

export const sortSynonyms = synonyms({
  'modifiedTime desc': 'newest latest most_recent recently_modified newest_first latest_first most_recently_modified',
  modifiedTime: 'oldest oldest_first least_recent',
  'quotaBytesUsed desc': 'largest biggest largest_first',
  quotaBytesUsed: 'smallest smallest_first',
  name: 'a-z az',
  'name desc': 'z-a za',
})

/** Reads a key whose direction is written differently: `name asc`, `-name`, `name:descending`; synonyms of keys need a confirmation. */
export function readSortKey(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const spaced = written.trim().replace(/(?<=[a-z])(?=(?:Desc|Asc))/, '_')
  const text = spaced.toLowerCase()
  const [direction = ''] = /(?<=[\s:(_-])(?:(?:asc|desc)(?:ending)?|(?:new|old|lat|larg|small)est(?: first)?)(?=\)?$)/.exec(text) ?? []
  const [sign = ''] = /^[-+]/.exec(text) ?? []
  // "-name asc" contradicts itself.
  if (sign !== '' && direction !== '') return undefined
  const sorted = text.slice(0, direction === '' ? undefined : text.lastIndexOf(direction))
  const key = sorted.replace(/^(?:(?:sort|order)(?:ed)? )?by /, '').replace(/[\s:(_+-]/g, '')
  const suffix = sign === '-' || /^(?:desc|new|lat|larg)/.test(direction) ? ' desc' : ''
  const exact = sortOrders.find((order) => order.toLowerCase().replace('_', '') === key)
  const meant = exact ?? valueOf(key.replace(/^(?:last|date)|(?:at|date|time)$/g, ''), sortKeys)
  // Only times have a newest, and only sizes a largest.
  const fits = /^(?:new|old|lat)/.test(direction) ? /Time$|^recency/ : /^(?:larg|small)/.test(direction) ? /^quota/ : /^/
  if (meant === undefined || !fits.test(meant)) return undefined
  // Nobody agrees on which end of a time or a size comes first.
  if (exact === undefined && `${sign}${direction}` === '' && /Time$|^quota/.test(meant)) return { possible: [`${meant} desc`, meant] }
  return exact === undefined ? { likely: `${meant}${suffix}` } : { equal: `${exact}${suffix}` }
}

/** Other names for the second part of a media type. */
const subtypes = synonyms({ plain: 'txt text plaintext plain_text', html: 'htm', markdown: 'md', jpeg: 'jpg pjpeg' })

/** Reads a media type, or its second part. If no type is given, it is detected; Google documents cannot be created at all. */
export function readMediaType(written: unknown): Reading | undefined {
  if (typeof written !== 'string') return undefined
  const text = (written.toLowerCase().split(';')[0] ?? '').trim()
  const exact = uploadTypes.find((type) => type === text)
  if (exact !== undefined) return { equal: exact }
  const subtype = text.replace(/^.*\/(?:x-)?|^\./, '')
  const [family = 'text'] = /^.*(?=\/)/.exec(text) ?? []
  const isMeant = (type: string) => type.endsWith(`/${valueOf(subtype, subtypes) ?? subtype}`)
  // Programs confuse "text" and "application", but not the families of media.
  const meant = uploadTypes.find((type) => isMeant(type) && (/^(?:text|application)$/.test(family) || type.startsWith(`${family}/`)))
  return /google|gdoc|convert/.test(text) ? { possible: [] } : { likely: meant ?? null }
}

/** Several email addresses in one string. */
export function readAddressList(written: unknown): Reading | undefined {
  return typeof written === 'string' && written.includes('@') ? { equal: [written] } : undefined
}

/** A number of bytes with a unit: "5 MiB" is clear, and "5 MB" may mean either kind, unless both are above the maximum. */
export function readBytes(written: unknown): Reading | undefined {
  const [, number, letter, binary] = /^\s*(\d+(?:\.\d+)?)\s*(?:([kmg])(i?)b?|b)(?:ytes?)?\s*$/i.exec(String(written)) ?? []
  if (number === undefined) return undefined
  const power = letter === undefined ? 0 : 'kmg'.indexOf(letter.toLowerCase()) + 1
  const [own = 0, other = 0] = [1024, 1000].map((base) => Math.round(Number(number) * base ** power))
  return binary === '' ? { possible: [own, other] } : { likely: own }
}

/** A chunk's size: reading goes on from its end, so either kind of megabyte will do; one above the maximum can only mean the maximum. */
export function readChunkSize(written: unknown): Reading | undefined {
  const reading = readBytes(written)
  const [size] = reading && 'possible' in reading ? reading.possible : reading && 'likely' in reading ? [reading.likely] : []
  if (size === undefined) return reading
  return Number(size) > maxChunkBytes ? { likely: maxChunkBytes } : { equal: size }
}
