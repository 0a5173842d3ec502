import type { JsonObject } from '@mcp-toolkits/core/base'
import { changed, type ToolWish, words } from '@mcp-toolkits/core/tool'

/* Wishes to tools of other file stores and of Google's own API, and to tools that no file store's server should lack. */

const inDrive = 'A person can, in Google Drive.'

/** A search for the item at a path; undefined for an id, which no search finds. */
function searchByName(args: JsonObject): JsonObject | undefined {
  const [path, ...others] = Object.entries(args).filter(([name]) => !/^(?:fields|expand|include.*)$/i.test(name) && !asBucket.test(name))
  const last = typeof path?.[1] === 'string' ? path[1].split('/').findLast((each) => each !== '') : undefined
  const isId = last === path?.[1] && /^[\w-]{20,}$/.test(last ?? '')
  return last === undefined || isId || others.length > 0 ? undefined : { query: last }
}

/** A folder's content, from the only argument. */
const searchAll = (names: string) => (args: JsonObject) => {
  const [[name, value] = [], ...others] = Object.entries(args)
  return name !== undefined && words(names).includes(name) && others.length === 0 ? { query: '*', folder_path_or_id: value } : undefined
}

const asBucket = /^(?:bucket|container)(?:_?name)?$/i
const asKey = /^(?:key|blob|object|prefix)(?:_?(?:name|key|path))?$/i
/** Arguments about pages and versions of objects, which a listing or a download does without. */
const aboutObjects = /^(?:max_?(?:keys|results)|delimiter|region|version_?id)$/i
const parts = [asBucket, asKey, /^range$/i]

/** The path of an object in another store: a bucket is a shared drive or a folder at the top. */
const inBucket =
  (parameter: string, more: JsonObject = {}) =>
  (args: JsonObject) => {
    const all = Object.entries(args).filter(([name]) => !aboutObjects.test(name))
    const [bucket, key = '', range] = parts.map((asks) => all.find(([name]) => asks.test(name))?.[1])
    const isWhole = all.every(([name]) => parts.some((asks) => asks.test(name)))
    const path = [bucket, ...String(key).split('/')].filter(Boolean).join('/')
    return typeof bucket === 'string' && isWhole ? { ...more, ...(range !== undefined && { range }), [parameter]: path } : undefined
  }

/** The call with an argument that the tool's name stands for. */
const having = (more: JsonObject) => (args: JsonObject) => ({ ...args, ...more })

/** Wishes, the most specific first. */
export const toolWishes: readonly ToolWish[] = [
  // Google's methods do several things, which their arguments tell apart.
  [/^(?:create|save|add) file: .*google-apps\.folder/, '', 'CreateFolder'],
  [/^(?:update|save) file: .*"trashed":true/, 'No tool deletes for good.', 'TrashFile', (args) => changed(args, { trashed: null })],
  [
    /^(?:update|save|create|add|upload|append|replace) (?:text )?file(?: content)?: .*"(?:(?:file_?)?content|text|body|data|media|bytes|base64|edits)s?(?:_?base64)?":(?!\{"(?:name|title)":"[^"]*"\})/i,
    'To store a file from a public URL, use UploadFile.',
    'WriteFile',
  ],
  [/^(?:create|save|add) file: .*"\w*ur[il]"/i, '', 'UploadFile'],
  // Object stores.
  [/^(?:get|download) file(?: content)?: .*"(?:bucket|container)/i, '', 'DownloadFile', inBucket('file_path_or_id')],
  [/^list file: .*"(?:bucket|container)/i, '', 'SearchFiles', inBucket('folder_path_or_id', { query: '*' })],
  // The order or the filter is part of the name.
  [
    /^(?:(?:get|list|search) )?(?:my )?(?:recent|recently|latest|newest)\b/,
    '',
    'GetFileTreeStructure',
    (args) => ({
      ...Object.fromEntries(Object.entries(args).filter(([name]) => !/^(?:order|sort)/i.test(name))),
      order_by: 'modifiedTime desc',
    }),
  ],
  [/^(?:(?:get|list|search) )?(?:my )?(?:starred|favou?rite)\b/, '', 'SearchFiles', having({ query: 'is:starred' })],
  [/^(?:get|list|search) (?:file )?shared(?: file)?(?: with me)?:/, '', 'SearchFiles', having({ query: 'sharedWithMe = true' })],
  [
    /^(?:list (?:file|folder|folder file|file folder|content|folder content|children|folder children)|get (?:folder|folder content)): \{"/,
    '',
    'SearchFiles',
    searchAll('item_id itemId folder folder_id folderId folder_path path parent parent_id parentId directory'),
  ],
  [
    /^(?:create|update|share|add|save)\b[^:]*: .*"(?:anyone|domain|anyoneWithLink|public)"|^(?:create|share|update|add|save|get)\b[^:]*\b(?:public|link|shareable)\b/i,
    'To share with people by their email addresses, use ShareFile.',
    'SetGeneralAccess',
  ],
  [
    /^[^:]*\bowner|^(?:create|add|save|update|share)\b.*"(?:role":"owner|transferOwnership")/i,
    `Ownership cannot be given here. ${inDrive}`,
  ],
  [/^(?:create|add|save|update) (?:file |folder )?(?:permission|share|sharing|user)\b/, '', 'ShareFile'],
  [/^(?:delete|unshare|suppress)\b[^:]*\b(?:permission|share|sharing|user)\b|^(?:unshare|revoke)\b/, '', 'RevokeFileAccess'],
  [/^(?:list|get) (?:file |folder )?(?:permission|share|sharing|user|collaborator)\b/, '', 'ListFilePermissions'],
  // Tools under other names, perhaps in a toolset.
  [
    /^upload (?:local|from local|file local)|^upload (?:file|folder): .*"(?:local|file)_?path"/i,
    'No tool reads a path on a computer: the person uploads such a file on the page of GenerateFilePickerUrl.',
    'GenerateFilePickerUrl',
    () => ({}),
  ],
  [/^(?:copy|cp)\b/, '', 'CopyFile'],
  [
    /^[^:]*\b(?:delete empty|empty (?:delete|trash|bin))|^list (?:trash|trashed|bin|delete)/,
    `No tool shows or empties the trash. ${inDrive}`,
  ],
  [/^(?:delete|restore|get|update) (?:file )?(?:revision|version)|^(?:list|get) change/, `No tool does that. ${inDrive}`],
  [/^list (?:file )?(?:revision|version|history)/, '', 'ListRevisions'],
  [/^(?:delete|rm|rmdir|del)(?: (?:file|folder|content))?:/, 'No tool deletes for good.', 'TrashFile'],
  [/^restore\b/, '', 'RestoreFile'],
  [/^(?:save|update|append|add) (?:text )?(?:file )?(?:content|text):/, 'To store a file from a public URL, use UploadFile.', 'WriteFile'],
  [
    /^(?:get|list) (?:file |folder )?(?:metadata|info|detail|size|property|stat|name|path|id|url): |^(?:stat|head file): /,
    'No tool shows one item alone. To see its size, dates and link, search for its name with SearchFiles.',
    'SearchFiles',
    searchByName,
  ],
  [/^list (?:sheet|spreadsheet|slide|presentation):/, '', 'SearchFiles'],
  [/^(?:get|list|download)\b[^:]*\b(?:sheet|spreadsheet|slide|presentation|cell|gdoc)\b[^:]*:/, '', 'ExportFile'],
  // Things that no tool has.
  [
    /^(?!(?:get|list|download)\b)[^:]*\b(?:sheet|spreadsheet|slide|presentation|cell|form|gdoc|doc|google doc)\b[^:]*:/,
    `No tool creates or edits Google's own documents. ${inDrive} To store a file from a public URL, use UploadFile.`,
  ],
  [/^(?:create|update|delete|save|hide|unhide|add)\b[^:]*\bdrive:/, `No tool changes shared drives. ${inDrive} To see them, use WhoAmI.`],
  [/^[^:]*\b(?:comment|reply)\b[^:]*:/, `No tool reads or writes comments on files. ${inDrive}`],
  [
    /^[^:]*\b(?:star|unstar|label|shortcut|description|colou?r|lock|unlock|watch|channel|favorite|approval|pin|tag)\b[^:]*:/,
    `No tool sets or reads that. ${inDrive}`,
  ],
  [
    /^[^:]*\b(?:zip|unzip|compress|extract|convert)\b[^:]*:/,
    'Nothing is zipped or converted: download the files one by one with DownloadFile.',
  ],
]
