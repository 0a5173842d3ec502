/** The pattern of an id. File ids have 28 to 44 characters, shared drive ids 19. Longer text does not belong in a URL. */
const idPattern = /^[\w-]{15,200}$/
const minIdLength = 19
/** The id of a shared drive, of My Drive or of a root folder; all other items have longer ids. */
const rootIdPattern = /^0A[\w-]{17}$/
/** Endpoints that stand where an id would, below `/files/`: https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
const endpoints = ['generateCseToken', 'generateIds', 'trash']

/** True if text can be an id; any other text in a URL could reach a different endpoint. */
export function isId(text: string): boolean {
  return idPattern.test(text) && !endpoints.includes(text)
}

/** True if text has the form of an id of a drive or its root folder. */
export function isDriveId(text: string): boolean {
  return rootIdPattern.test(text)
}

const idLabel = /^(?:(?:(?:shared[\s_]?)?(?:file|folder|drive|item|document)[\s_]?)?id|file|folder|drive|item|document)\s*[:=]\s*/i

/**
 * The id in `id:ID`, `file_id=ID`, `(ID)`, `/ID`, `folders/ID` or `file/d/ID`, as people write ids alongside paths; undefined for anything
 * else.
 */
export function idAlone(text: string): string | undefined {
  const bare = text.replace(/^[([{](.*)[)\]}]$/, '$1').replace(idLabel, '')
  const [, id] = /^\/*(?:(?:drive\/)?folders\/|(?:drives|files)\/|(?:file\/)?d\/)?([\w-]+)(?:\/+(?:view|edit)?)?$/i.exec(bare) ?? []
  return id !== undefined && isId(id) ? id : undefined
}

/** A Drive link; people also copy links without the scheme. */
const linkPattern = /^(?:https?:\/\/|(?:drive|docs|sheets|slides)\.google\.com\/)/i
/** URLs of the embedded default's pages. */
const ownPage = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/workspace\//
const driveHost = /^(?:(?:drive|docs|sheets|slides|drive\.usercontent)\.google\.com|www\.googleapis\.com|lh3\.googleusercontent\.com)$/
/** The content URI in our own results, and in those of Google Drive's reference server. */
const contentUri = /^(?:google-drive:\/{2,3}|gdrive:\/{3}(?=[\w-]{19,}$))([^/#?]+)/i

/** True for a URL, false for a path. */
export function isLink(text: string): boolean {
  return linkPattern.test(text) || contentUri.test(text)
}

/** The id and names in `ID/Reports/May.pdf`, a path from a folder given by id; undefined for anything else. */
export function pathBelowId(text: string): { readonly folder: string; readonly names: string } | undefined {
  const start = text.startsWith('/') ? 1 : 0
  const end = text.indexOf('/', start)
  const [folder, names] = [text.slice(start, Math.max(end, 0)), text.slice(end + 1)]
  return isLikelyId(folder) && /[^/]/.test(names) ? { folder, names } : undefined
}

/** The id at the end of `Photos/ID`, a path whose last segment was replaced by the item's id. */
export function idAtEnd(text: string): string | undefined {
  const last = text.includes('/') ? text.slice(text.lastIndexOf('/') + 1) : ''
  return isLikelyId(last) ? last : undefined
}

/** True for text that looks too much like an id to be a name. */
export function isLikelyId(text: string): boolean {
  return isId(text) && text.length >= minIdLength && /\d/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text)
}

/** True for text that is only an id or an item's URL. */
export function isReference(text: string): boolean {
  return linkedId(text) !== undefined || isLikelyId(idAlone(text) ?? '')
}

/**
 * The id in an item's URL: `/file/d/ID/view`, `/drive/folders/ID`, `/document/d/ID/edit`, `/open?id=ID`, or our own
 * `google-drive:///ID/name`; `root` for My Drive's URL. Undefined for anything else.
 */
export function linkedId(text: string): { readonly id: string; readonly resourceKey?: string } | undefined {
  const own = contentUri.exec(text)?.[1]
  if (own !== undefined) return isId(own) ? { id: own } : undefined
  if (!linkPattern.test(text)) return undefined
  const url = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`)
  if (!url || !(driveHost.test(url.hostname) || ownPage.test(url.href))) return undefined
  if (/\/my-drive\/?$/.test(url.pathname)) return { id: 'root' }
  const id = /\/(?:d|folders|files)\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id') ?? ''
  const resourceKey = url.searchParams.get('resourcekey')
  return isId(id) ? { id, ...(resourceKey !== null && { resourceKey }) } : undefined
}
