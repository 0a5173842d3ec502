import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, type NextStep, NotFound, sentence, withDetails } from '@mcp-toolkits/core/errors'
import { readQuerySyntax } from '../drive/listings/query-syntax.ts'
import { officeFormats } from './values.ts'

/**
 * A wish that a tool (any, if empty) cannot fulfil, and the argument that expresses it: `name: value`, with JSON for a value that is not
 * text. `kept` stands for the next step of the error, which leaves the argument out or does not concern it.
 */
type Wish = readonly [of: string, asks: RegExp, says: string | Message, next?: 'kept' | Step]
type Step = (value: unknown, args: JsonObject, change: JsonObject | undefined, name: string) => NextStep | undefined

const searchAll = (filter: JsonObject) => ({ tool: 'FileStorage.SearchFiles', arguments: { query: '*', ...filter } })
/** Adds words to the query of the change that leaves an argument out; a query in Drive's own language has no place for them. */
const inQuery = (more: string, args: JsonObject, change: JsonObject | undefined) => {
  const query = change?.['query'] ?? args['query']
  const isWords = typeof query === 'string' && readQuerySyntax(query) === undefined
  return change && isWords ? { change: { ...change, query: `${query} ${more}` } } : undefined
}

/** Advice on a tool that may be off. */
function instead(what: string, tool: string, toolset: string): Message {
  const [on, off] = [{ tool: `FileStorage.${tool}` }, { without: `FileStorage.${tool}` }]
  const other = sentence`${off}With ${{ option: '--toolsets' }} ${toolset}, this server can also ${what}; otherwise, a person can in Google Drive.`
  return Message.of(sentence`To ${what}, use ${on}.`, other)
}

/** Wishes, the most specific first. Paths and messages may contain any word. */
const wishes: readonly Wish[] = [
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
  ['ShareFile', /^\w*expir|^until: |"expir/i, 'Access has no end here: a person can set one in Google Drive.'],
  ['ShareFile', /"role":.*"role":/i, 'A call gives all email_addresses one role: make one call for each role.'],
  [
    'UploadFile',
    /^(?:file_?)?(?:contents?|text|data|body|base64|bytes)(?:_base64)?: (?!"?https?:)|: data:/i,
    Message.of('Content cannot be passed here, only its public URL.', instead('write text into a file', 'WriteFile', 'content')),
  ],
  [
    'UploadFile',
    /^(?:source|src|from|local|file|\w*url)\w*: "?(?:\/(?!\/)|~|\.{1,2}[\\/]|[a-z]:[\\/]|file:)|^path: (?:\/(?:home|users|tmp|mnt)\/|~|[a-z]:)/i,
    "A path on a computer is no URL: the person uploads such a file on the picker's page.",
    () => ({ tool: 'FileStorage.GenerateFilePickerUrl' }),
  ],
  ['UploadFile', /^\w+: "?https:\/\/(?:drive|docs)\.google\.com\//i, instead('copy an item of Google Drive', 'CopyFile', 'content')],
  ['UploadFile', /: "?application\/vnd\.google|^(?:convert|as_google)\w*: (?!false)/i, 'Files are stored as they are, never converted.'],
  ['MoveFile', /^(?:copy|duplicate|keep_?original)\w*: (?!false)/i, instead('copy an item', 'CopyFile', 'content')],
  ['DownloadFile', /^(?:as_?)?(?:zip|archive|compress)\w*: (?!false)|: zip$/i, 'Nothing is zipped: download the files one by one.'],
  ['DownloadFile', /^(?:export|format|mime)\w*: /i, instead('export a Google document to a format', 'ExportFile', 'content')],
  [
    'DownloadFile',
    /^(?:chunk|start|offset|range|length|end|max_?bytes|part)\w*: /i,
    sentence`A file comes whole. For a part of it, use ${{ tool: 'FileStorage.DownloadFileChunk' }}.`,
    (_, { offset = 0, ...args }) => ({ tool: 'FileStorage.DownloadFileChunk', arguments: { start_byte: offset, ...args } }),
  ],
  [
    'DownloadFileChunk',
    /^\w*lines?\w*: |: \d+ lines?$/i,
    sentence`Ranges are in bytes, not lines. For the whole file, use ${{ tool: 'FileStorage.DownloadFile' }}.`,
    (_, { file_path_or_id }) => ({ tool: 'FileStorage.DownloadFile', arguments: { file_path_or_id } }),
  ],
  ['WhoAmI', /^(?:user|email|account|person|owner)\w*: (?!@?me$)/i, 'The result is always about the current user.'],
  ['CreateFolder', /^\w*colou?r\w*: /i, "A folder's colour cannot be set here.", 'kept'],
  ['', /^(?:(?:create|make|with)\w*)?parents: true/i, 'Missing folders are not created: create each on its own, from the top.', 'kept'],
  ['GenerateFilePickerUrl', /./, 'The person chooses or uploads files on the page.', 'kept'],
  ['SearchFiles', /^(?:next|page(?!_?[sl])|cursor|offset|skip|start(?!_?[dt]))\w*: /i, 'There are no pages: raise limit (up to 1000).'],
  [
    'SearchFiles',
    /^(?:modified|updated|changed)[\w -]*(?:after|before|since|until|from|to|date|time)\w*: |^(?:since|until|date\w*|after|before): /i,
    'Write a day of change into query, as in "report after:2026-01-31" or "report before:2026-01-31".',
    (value, args, change, name) => {
      const [, side = '', day] = /(after|since|before): (\d{4}-\d\d-\d\d)$/i.exec(`${name}: ${String(value)}`) ?? []
      return day === undefined ? undefined : inQuery(`${side.toLowerCase()}:${day}`, args, change)
    },
  ],
  ['SearchFiles', /^(?:sort|order)\w*: /i, 'Results come by relevance, in no other order: leave this out, and sort them yourself.', 'kept'],
  [
    'SearchFiles',
    // Any name may be read as file_types, even a misspelt one; another parameter keeps the value.
    new RegExp(`^(?!query|folder|shared)[^:]+: \\W*(?:text/)?(?:${officeFormats.join('|')})\\W*$`, 'i'),
    'For one format, put its extension into query.',
    (value, args, change) =>
      change && Object.values(change).includes(value) ? { change } : inQuery(String(value).replace(/^(?:\W|text\/)+/i, ''), args, change),
  ],
  ['SearchFiles', /^(?:mime|content|type|format|ext)\w*: /i, 'If file_types lacks the format, add its extension to query.', 'kept'],
  ['SearchFiles', /^query: .*(?:(?<=\s)-\p{L}|\b(?:NOT|AND|OR)\b)/u, 'query has no operators: make one search for each term.', 'kept'],
  ['SearchFiles', /^(?:recursive|include_?sub\w*|depth): (?!false)/i, 'Subfolders are searched only without folder_path_or_id.'],
  ['', /^\w*trash\w*: (?!false)/i, 'The trash is not listed here: a person sees it in Google Drive.'],
  [
    'GetFileTreeStructure',
    /^\w*(?:depth|level)\w*: |^recursive: (?!true)|^(?:file_?)?(?:type|mime|kind|format|ext)\w*: /i,
    sentence`The tree has all levels and types. For one, use ${{ tool: 'FileStorage.SearchFiles' }} with query "*".`,
    (value, _args, _change, name) => searchAll(/depth|level|recursive/i.test(name) ? { folder_path_or_id: 'root' } : { file_types: value }),
  ],
  ['', /^(?:overwrite|if_exists|on_?conflict)\w*: /i, 'Nothing is overwritten: a name may occur twice.'],
  [
    '',
    /^(?:source_)?file\w*: [^*]*\*[^/]*$/i,
    '"*" is not a wildcard here. List the folder, and make one call for each item.',
    (value) => searchAll({ folder_path_or_id: /^.*(?=\/)/s.exec(String(value))?.[0] ?? 'root' }),
  ],
  ['', /^(?:source_)?file\w*: [^;,\n]*\.\w{1,5}"?[;,\n][^;,\n]*\.\w/i, 'A call is about one item: make one call for each.'],
]

/** Arguments inside a record, even as JSON text. */
function inside(held: unknown, levels = 3): [string, unknown][] {
  const record = typeof held === 'string' ? parseJson(held) : held
  if (!isObject(record) || levels === 0) return []
  return Object.entries(record).flatMap(([name, value]) => [[name, value], ...inside(value, levels - 1)])
}

/** Adds to a refusal what the tool cannot do, and drops corrections that would not do it either. */
export function withWish(error: unknown, tool: string, args: unknown): unknown {
  if (!(error instanceof InvalidInput || error instanceof NotFound) || !isObject(args)) return error
  const own = wishes.filter(([of]) => of === '' || of === tool)
  let { next } = error.details
  const unwrapped = Object.entries(args).flatMap(([name, value]) => (next?.change?.[name] === null ? inside(value) : []))
  const asked = [...Object.entries(args), ...unwrapped].flatMap(([name, value]) => {
    const wish = own.find(([, asks]) => asks.test(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`))
    return wish ? [{ name, value, says: wish[2], step: wish[3] }] : []
  })
  const text = error.text.and(Message.of(...new Set(asked.map(({ says }) => says))))
  const lost = asked.filter(({ step }) => step !== 'kept')
  if (lost.length === 0) return asked.length > 0 ? withDetails(error, text, error.details) : error
  for (const { name, value, step } of lost) {
    next = typeof step === 'function' ? step(value, args, next?.change, name) : undefined
    if (!next?.change) break
  }
  return withDetails(error, text, next ? { next } : {})
}
