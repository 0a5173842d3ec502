import type { JsonObject } from '@mcp-toolkits/core/base'
import { Message, type NextStep, sentence } from '@mcp-toolkits/core/errors'
import { changed } from '@mcp-toolkits/core/tool'
import { maxChunkBytes } from '../drive/content/downloads.ts'
import { readQuerySyntax, syntaxPattern } from '../drive/listings/query-syntax.ts'
import { daysOf, type Refuse } from './days.ts'
import { readPeople, startByte } from '../vocabulary/parameters.ts'
import { extensionOf, formatsInQuery, readChunkSize } from '../vocabulary/values.ts'

/**
 * A wish that a tool (any, if empty) cannot fulfil, and the argument that expresses it: `name: value`, with JSON for a value that is not
 * text. `kept` stands for the next step of the error, which leaves the argument out or does not concern it; `rest`, for a call that does
 * all but this, which is written out but not proposed.
 */
export type Wish = readonly [of: string, asks: RegExp, says: string | Message, next?: 'kept' | 'rest' | Step | Restated]
type Step = (wish: StepInput) => readonly NextStep[] | Promise<readonly NextStep[]>
export interface StepInput {
  readonly name: string
  readonly value: unknown
  readonly args: JsonObject
  /** Correction of the rest of the call; undefined if that is unknown. */
  readonly change: JsonObject | undefined
  readonly refuse: Refuse
}
/** Other arguments that mean the same, to be corrected in turn; undefined if there are none. */
interface Restated {
  readonly as: (value: unknown, args: JsonObject, name: string) => JsonObject | undefined
}

const searchAll = (filter: JsonObject) => [{ tool: 'FileStorage.SearchFiles', arguments: { query: '*', ...filter } }]
/** Adds words to the query of the change that leaves an argument out; a query in Drive's own language has no place for them. */
const inQuery = (more: string, { args, change }: Pick<StepInput, 'args' | 'change'>) => {
  const query = change?.['query'] ?? args['query']
  const isWords = typeof query === 'string' && readQuerySyntax(query) === undefined
  return change && isWords ? [{ change: { ...change, query: `${query} ${more}` } }] : []
}
/** The sort key with a direction that was given beside it, under whatever names. */
function directed(value: unknown, args: JsonObject, direction: string): JsonObject | undefined {
  const [name, key] =
    Object.entries(args).find(([each, text]) => each !== direction && /^(?:order|sort)/i.test(each) && typeof text === 'string') ?? []
  const isNamed = /^(?:asc|desc|revers)/i.test(direction) && typeof value === 'boolean'
  const isAscending = isNamed ? value === /^asc/i.test(direction) : /^\W*asc/i.test(String(value))
  return name === undefined || !(isNamed || /^\W*(?:asc|desc)/i.test(String(value)))
    ? undefined
    : { [name]: `${String(key)} ${isAscending ? 'asc' : 'desc'}` }
}

/** The first number under a name in a call. */
const numberIn = (args: JsonObject, asks: RegExp) =>
  Object.entries(args).find(([name, value]) => asks.test(name) && Number.isInteger(Number(value)))?.[1]
const starts = /^(?:start|offset|from|begin)/i

/** The part of a file that a download of the whole was asked for. */
function part({ args, change }: StepInput): readonly NextStep[] {
  const [start, end] = [Number(numberIn(args, starts) ?? 0), numberIn(args, /^(?:range_?)?end/i)]
  const size = numberIn(args, /^(?:chunk_?size|length|max_?bytes|limit)/i) ?? (end === undefined ? undefined : Number(end) - start + 1)
  if (size !== undefined && Number(size) < 1) return []
  const rest = changed(args, change ?? {})
  const range = { start_byte: start, ...(size !== undefined && { chunk_size: Number(size) }) }
  const item = Object.entries(rest).filter(([name]) => /^(?:file_path_or_id|shared_drive_id)$/.test(name))
  const given = startByte.implies?.(args['range'], { name: 'range', others: {} }) ?? range
  return [{ tool: 'FileStorage.DownloadFileChunk', arguments: { ...Object.fromEntries(item), ...given } }]
}

/** Advice on a tool that may be off. */
function instead(what: string, tool: string, toolset: string): Message {
  const [on, off] = [{ tool: `FileStorage.${tool}` }, { without: `FileStorage.${tool}` }]
  const other = sentence`${off}With ${{ option: '--toolsets' }} ${toolset}, this server can also ${what}; otherwise, a person can in Google Drive.`
  return Message.of(sentence`To ${what}, use ${on}.`, other)
}

/** True if a file among the values has the extension of a format. */
function isOwnFormat(format: string, values: readonly unknown[]): boolean {
  const extension = extensionOf(format).replace(/^\w+\//, '')
  return values.some((each) => String(each).toLowerCase().endsWith(`.${extension}`))
}

/** Tools that create, move or rename one item. */
const newItems = 'CreateFolder UploadFile MoveFile RenameFile'
const largestChunk = `A call returns at most 5 MiB (${maxChunkBytes} bytes): continue with next_start_byte.`

/** Wishes, the most specific first. Paths and messages may contain any word. */
export const wishes: readonly Wish[] = [
  [
    'ShareFile',
    /^(?!message|file|shared)\w+: .*\b(?:own|owner|organi[sz]er|fileorganizer|manager)\b(?!@)|^\w*owner\w*: true/i,
    'Ownership, or the management of a shared drive, cannot be given here: a person can do that in Google Drive.',
  ],
  [
    'ShareFile',
    /^(?:role|permission|access\w*|action|operation): "?(?:none|no|remove|revoke|delete|unshare)\b|^(?:remove|revoke|unshare)\w*: (?!false)/i,
    instead('take access away', 'RevokeFileAccess', 'access'),
  ],
  [
    'ShareFile',
    /^(?!message|file|shared)\w+: .*\b(?:anyone|anybody|everyone|public)\b(?![@.])|^\w*(?:link|public|anyone)\w*: true|^\w*domain|: "?domain\b/i,
    instead('give access to everyone with the link or to an organization', 'SetGeneralAccess', 'access'),
  ],
  ['ShareFile', /^\w*expir|^until: |"expir/i, 'Access has no end here: a person can set one in Google Drive.', 'rest'],
  [
    'ShareFile',
    /"role":.*"role":|^email_addresses: [^{]*\{.*"(?:role|permission|access)":/i,
    'A call gives all email_addresses one role: make one call for each role.',
    {
      as: (value, { role }) => {
        const people = readPeople(value)
        return role === undefined || role === people?.['role'] ? people : undefined
      },
    },
  ],
  [
    'UploadFile',
    /^(?:(?:file|text|raw|plain)_?)?(?:contents?|text|data|body|base64|bytes)(?:_?base64)?: (?!"?https?:)|: data:/i,
    Message.of('Content cannot be passed here, only its public URL.', instead('write text into a file', 'WriteFile', 'content')),
  ],
  [
    'UploadFile',
    /^(?:source|src|from|local|file|\w*url)\w*: "?(?:\/(?!\/)|~|\.{1,2}[\\/]|[a-z]:[\\/]|file:)|^path: (?:\/(?:home|users|tmp|mnt)\/|~|[a-z]:)/i,
    "A path on a computer is no URL: the person uploads such a file on the picker's page.",
    () => [{ tool: 'FileStorage.GenerateFilePickerUrl' }],
  ],
  ['UploadFile', /^\w+: "?https:\/\/(?:drive|docs)\.google\.com\//i, instead('copy an item of Google Drive', 'CopyFile', 'content')],
  [
    'UploadFile',
    /: "?(?:application\/vnd\.google|convert\b)|^(?:convert|as_google)\w*: (?!false)/i,
    'Files are stored as they are, never converted.',
  ],
  [
    'RenameFile',
    /^(?:dest|(?:new|target|to)_?(?:parent|folder|dir))\w*: /i,
    sentence`An item keeps its folder. To move it, use ${{ tool: 'FileStorage.MoveFile' }}.`,
    ({ name, value, args, change }) => {
      const { file_path_or_id, new_filename, ...rest } = changed(args, { ...change, [name]: null })
      const isWhole = file_path_or_id !== undefined && Object.keys(rest).length === 0
      const move = { source_file_path_or_id: file_path_or_id, destination_folder_path_or_id: value }
      return isWhole ? [{ tool: 'FileStorage.MoveFile', arguments: { ...move, ...(new_filename !== undefined && { new_filename }) } }] : []
    },
  ],
  ['MoveFile', /^(?:copy|duplicate|keep_?original)\w*: (?!false)/i, instead('copy an item', 'CopyFile', 'content')],
  ['DownloadFile', /^(?:as_?)?(?:zip|archive|compress)\w*: (?!false)|: zip$/i, 'Nothing is zipped: download the files one by one.'],
  [
    'DownloadFile',
    /^(?:export|format|mime)\w*: /i,
    instead('export a Google document to a format', 'ExportFile', 'content'),
    // The format that the file has anyway.
    ({ value, args, change }) => (change && isOwnFormat(String(value), Object.values({ ...args, ...change })) ? [{ change }] : []),
  ],
  ['DownloadFile', /^(?:head|tail|(?:num_?|max_?)?lines?\w*): /i, 'The whole file is returned: take the lines that you need.', 'kept'],
  [
    'DownloadFile',
    /^(?:chunk|start|offset|range|length|end|max_?bytes|part)\w*: /i,
    sentence`A file comes whole. For a part of it, use ${{ tool: 'FileStorage.DownloadFileChunk' }}.`,
    part,
  ],
  [
    'DownloadFileChunk',
    /^\w*lines?\w*: |: \d+ lines?$/i,
    sentence`Ranges are in bytes, not lines. For the whole file, use ${{ tool: 'FileStorage.DownloadFile' }}.`,
    ({ args: { file_path_or_id } }) => [{ tool: 'FileStorage.DownloadFile', arguments: { file_path_or_id } }],
  ],
  [
    'DownloadFileChunk',
    /^(?:end|to|last|stop|until)(?:_?(?:byte|offset|pos\w*|range))?: |^range_?end: /i,
    largestChunk,
    {
      as: (value, args) => {
        const length = Number(value) - Number(numberIn(args, starts) ?? 0) + 1
        return length > 0 ? { chunk_size: Math.min(length, maxChunkBytes) } : undefined
      },
    },
  ],
  [
    'DownloadFileChunk',
    /^(?:chunk|part)_?(?:index|idx|i|n|no|num|number)?: /i,
    'Chunks have no numbers: start_byte is the first byte, which is index × chunk_size for an index that begins at 0.',
    {
      as: (value, { chunk_size: size }, name) => {
        const reading = readChunkSize(size)
        const bytes = reading && 'equal' in reading ? Number(reading.equal) : Number(size)
        if (Number(value) !== 0 && (!Number.isInteger(Number(value) * bytes) || !/i(?:ndex|dx)?$/i.test(name))) return undefined
        return { start_byte: Number(value) === 0 ? 0 : Number(value) * bytes }
      },
    },
  ],
  ['DownloadFileChunk', /size|length|bytes/i, largestChunk, 'kept'],
  ['WhoAmI', /^(?:user|email|account|person|owner)\w*: (?!@?me$)/i, 'The result is always about the current user.'],
  [
    'ShareFile',
    /^(?:e?mails?|\w*addresse?s?|users?|people|persons?|\w*with|to|who|recipients?|collaborators?|members?): (?:(?!.*[@"{]).*\p{L}|(?!.*\{).*[[,]"(?=[^"]*\p{L})[^"@]+")/iu,
    'A person is given by an email address, not by a name: if you do not know the address, ask for it.',
    'rest',
  ],
  [
    newItems,
    /^share(?!d_?drive)\w*: (?!false)|^(?:collaborators?|people|permissions?|access|visibility|editors?|viewers?|notif\w*|e?mail\w*): (?!false)/i,
    sentence`Nothing is shared here, and nobody gets an email: ${{ tool: 'FileStorage.ShareFile' }} does both afterwards (send_notification_email).`,
    'rest',
  ],
  [
    newItems,
    /^(?:descr\w*|star(?:red)?|tags?|labels?): /i,
    'A description, star or label cannot be set here: a person can in Google Drive.',
    'rest',
  ],
  ['CreateFolder', /^\w*colou?r\w*: /i, "A folder's colour cannot be set here.", 'kept'],
  ['', /^(?:(?:create|make|with)\w*)?parents: true/i, 'Missing folders are not created: create each on its own, from the top.', 'kept'],
  ['GenerateFilePickerUrl', /./, 'The person chooses or uploads files on the page.', 'kept'],
  [
    'SearchFiles',
    new RegExp(`^(?!q(?:uery)?: |folder|shared)\\w+: .*(?:${syntaxPattern.source})`, 'i'),
    "A query in Google Drive's own syntax is for query.",
    { as: (value, { query }) => (query === undefined ? { query: value } : undefined) },
  ],
  [
    'SearchFiles',
    /^(?:next|page(?!_?[sl])|cursor|offset|skip|start(?!_?[dt]))\w*: (?!null)/i,
    'There are no pages: raise limit (up to 1000).',
  ],
  [
    'SearchFiles',
    /^(?:owner|author|creator|(?:owned|created)_?by): |^(?:is_?)?starred: true/i,
    'Write it into query: "report owner:ada@example.com", "report is:starred".',
    ({ name, value, ...rest }) => {
      const filter = /starred/i.test(name)
        ? 'is:starred'
        : /^(?:me|[^\s@]+@[^\s@]+)$/i.test(String(value))
          ? `owner:${String(value)}`
          : undefined
      return filter === undefined ? [] : inQuery(filter, rest)
    },
  ],
  [
    'SearchFiles',
    /^creat\w*(?:after|before|since|until|from|to|date|time|min|max|at)\w*: /i,
    `Write a day of creation into query, as in "fullText contains 'report' and createdTime > '2026-01-31'".`,
  ],
  [
    'SearchFiles',
    /^(?:last_?)?(?:modified|updated|changed|edited)[\w -]*(?:after|before|since|until|from|to|date|time|min|max)\w*: |^(?:since|until|date\w*|after|before|newer\w*|older\w*): /i,
    'Write a day of change into query, as in "report after:2026-01-31" or "report before:2026-01-31".',
    async (wish) => (await daysOf(wish)).flatMap((day) => inQuery(day, wish)),
  ],
  [
    'SearchFiles',
    /^\w*(?:word|term)s?: \[(?!.*[{[])/i,
    'query takes the words as one text, and all must occur.',
    { as: (value) => (Array.isArray(value) ? { query: value.join(' ') } : undefined) },
  ],
  ['SearchFiles', /^exclude(?!_?content)\w*: /i, 'Nothing can be left out of a search: skip such results yourself.', 'kept'],
  ['SearchFiles', /^(?:where|search_?in|look_?in|match)_\w*: /i, 'Names and contents are both searched.', 'kept'],
  ['SearchFiles', /^(?:sort|order)\w*: /i, 'Results come by relevance, in no other order: leave this out, and sort them yourself.', 'kept'],
  [
    'SearchFiles',
    // Any name may be read as file_types, even a misspelt one; another parameter keeps the value.
    formatsInQuery,
    'For one format, put its extension into query.',
    ({ value, args, change }) =>
      change && Object.values(change).includes(value)
        ? [{ change }]
        : [value].flat().flatMap((each) => inQuery(extensionOf(String(each)), { args, change: change && { ...change, file_types: null } })),
  ],
  ['SearchFiles', /^(?:mime|content|type|format|ext)\w*: /i, 'If file_types lacks the format, add its extension to query.', 'kept'],
  ['SearchFiles', /^query: .*(?:(?<=\s)-\p{L}|\b(?:NOT|AND|OR)\b)/u, 'query has no operators: make one search for each term.', 'kept'],
  ['SearchFiles', /^(?:recursive|include_?sub\w*|depth): (?!false)/i, 'Subfolders are searched only without folder_path_or_id.'],
  ['', /^\w*trash\w*: (?!false)/i, 'The trash is not listed here: a person sees it in Google Drive.'],
  [
    'GetFileTreeStructure',
    /^\w*(?:depth|level)\w*: |^recursive: (?!true)|^(?:file_?)?(?:type|mime|kind|format|ext)\w*: /i,
    sentence`The tree has all levels and types. For one, use ${{ tool: 'FileStorage.SearchFiles' }} with query "*".`,
    ({ value, name }) => searchAll(/depth|level|recursive/i.test(name) ? { folder_path_or_id: 'root' } : { file_types: value }),
  ],
  [
    'GetFileTreeStructure',
    /^(?:sort|order)(?:ing)?_?(?:order|dir(?:ection)?)?: \W*(?:asc|desc)|^(?:dir|direction|desc(?:ending)?|asc(?:ending)?|reversed?): /i,
    'The direction belongs to order_by, as in "name desc".',
    { as: directed },
  ],
  ['', /^(?:overwrite|if_exists|on_?conflict)\w*: /i, 'Nothing is overwritten: a name may occur twice.'],
  [
    '',
    /^(?:source_)?file\w*: [^*]*\*[^/]*$/i,
    '"*" is not a wildcard here. List the folder, and make one call for each item.',
    ({ value }) => searchAll({ folder_path_or_id: /^.*(?=\/)/s.exec(String(value))?.[0] ?? 'root' }),
  ],
  ['', /^(?:source_)?file\w*: (?![[{])[^;,\n]*\.\w{1,5}"?[;,\n][^;,\n]*\.\w/i, 'A call is about one item: make one call for each.'],
]
