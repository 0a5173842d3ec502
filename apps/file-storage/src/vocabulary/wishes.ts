import { isObject } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, type NextStep, NotFound, sentence, withDetails } from '@mcp-toolkits/core/errors'

/** A wish that a tool cannot fulfil: the argument that expresses it, as `name: value` with JSON for a value that is not text. */
interface Wish {
  /** The tool's name; any tool if absent. */
  readonly of?: string
  readonly asks: RegExp
  readonly says: string | Message
  /** The next step, given the argument's value. */
  readonly next?: (value: string) => NextStep
  /** True if the correction of the error leaves the argument out. */
  readonly isCorrected?: true
}

const picker = { tool: 'FileStorage.GenerateFilePickerUrl' }
const list = (folder: string) => ({ tool: 'FileStorage.SearchFiles', arguments: { query: '*', folder_path_or_id: folder } })

/** Advice on a tool that may be off. */
function instead(what: string, tool: string, toolset: string): Message {
  const [on, off] = [{ tool: `FileStorage.${tool}` }, { without: `FileStorage.${tool}` }]
  const other = sentence`${off}With ${{ option: '--toolsets' }} ${toolset}, this server can also ${what}; otherwise, a person can in Google Drive.`
  return Message.of(sentence`To ${what}, use ${on}.`, other)
}

/** Wishes, the most specific first. Paths and messages may contain any word. */
const wishes: readonly Wish[] = [
  {
    of: 'ShareFile',
    asks: /^(?!message|file|shared)\w+: .*\b(?:own|owner|organi[sz]er|fileorganizer|manager)\b(?!@)|^\w*owner\w*: true/i,
    says: 'Ownership, or the management of a shared drive, cannot be given here: a person can do that in Google Drive.',
  },
  {
    of: 'ShareFile',
    asks: /^(?:role|permission|access\w*|action|operation): "?(?:none|no|remove|revoke|delete|unshare)\b|^(?:remove|revoke|unshare)\w*: (?!false)/i,
    says: instead('take access away', 'RevokeFileAccess', 'access'),
  },
  {
    of: 'ShareFile',
    asks: /^(?!message|file|shared)\w+: .*\b(?:anyone|anybody|everyone|public)\b(?![@.])|^\w*(?:link|public|anyone)\w*: true|^\w*domain|: "?domain\b/i,
    says: instead('give access to everyone with the link or to an organization', 'SetGeneralAccess', 'access'),
  },
  { of: 'ShareFile', asks: /^\w*expir|^until: /i, says: 'Access has no end here: a person can set one in Google Drive.' },
  { of: 'ShareFile', asks: /"role":.*"role":/i, says: 'A call gives all email_addresses one role: make one call for each role.' },
  {
    of: 'UploadFile',
    asks: /^(?:file_?)?(?:contents?|text|data|body|base64|bytes)(?:_base64)?: (?!"?https?:)|: data:/i,
    says: Message.of('Content cannot be passed here, only its public URL.', instead('write text into a file', 'WriteFile', 'content')),
  },
  {
    of: 'UploadFile',
    asks: /^(?:source|src|from|local|file|\w*url)\w*: "?(?:\/(?!\/)|~|\.{1,2}[\\/]|[a-z]:[\\/]|file:)|^path: (?:\/(?:home|users|tmp|mnt)\/|~|[a-z]:)/i,
    says: "A path on a computer is no URL: the person uploads such a file on the picker's page.",
    next: () => picker,
  },
  {
    of: 'UploadFile',
    asks: /^\w+: "?https:\/\/(?:drive|docs)\.google\.com\//i,
    says: instead('copy an item of Google Drive', 'CopyFile', 'content'),
  },
  { of: 'MoveFile', asks: /^(?:copy|duplicate|keep_?original)\w*: (?!false)/i, says: instead('copy an item', 'CopyFile', 'content') },
  {
    of: 'DownloadFile',
    asks: /^(?:export|format|mime)\w*: /i,
    says: Message.of('A file comes as it is.', instead('export a Google document to a format', 'ExportFile', 'content')),
  },
  {
    of: 'DownloadFile',
    asks: /^(?:as_?)?(?:base64|encoding|binary|text)\w*: /i,
    says: 'Text comes as text, anything else as base64.',
  },
  {
    of: 'DownloadFile',
    asks: /^(?:save|output|out|dest|target|local|to)\w*: /i,
    says: 'Nothing is saved on a computer: the content comes in the result.',
  },
  {
    of: 'UploadFile',
    asks: /: "?application\/vnd\.google-apps\.|^(?:convert\w*|as_google\w*): (?!false)/i,
    says: 'Files are stored as they are: a Google document cannot be made of one here.',
  },
  {
    of: 'SearchFiles',
    asks: /^(?:next_?)?(?:page(?!\w*(?:size|limit))|cursor|offset|skip)\w*: |^start(?:_?(?:index|at|from))?: /i,
    says: 'There are no pages: raise limit (up to 1000).',
  },
  {
    of: 'SearchFiles',
    asks: /^(?:modified|updated|changed)\w*(?:after|before|since|until|from|to|date|time)\w*: |^(?:since|until|date\w*|after|before): /i,
    says: 'Write a date of change into query, as in "report after:2026-01-31" or "report before:2026-01-31".',
  },
  {
    of: 'SearchFiles',
    asks: /^(?:sort|order)\w*: /i,
    says: 'Results come by relevance, in no other order: leave this out, and sort them yourself.',
    isCorrected: true,
  },
  {
    of: 'SearchFiles',
    asks: /^(?:recursive|include_?sub\w*|depth): (?!false)/i,
    says: 'A folder is searched without its subfolders: to search everywhere, leave folder_path_or_id out.',
  },
  { asks: /^\w*trash\w*: (?!false)/i, says: 'The trash is not listed here: a person sees it in Google Drive.' },
  {
    of: 'GetFileTreeStructure',
    asks: /^\w*(?:depth|level)\w*: |^recursive: (?!true)/i,
    says: Message.of('The tree has all levels.', sentence`For one level, use ${{ tool: 'FileStorage.SearchFiles' }}.`),
    next: () => list('root'),
  },
  { asks: /^(?:overwrite|if_exists|on_?conflict)\w*: /i, says: 'Nothing is overwritten: a name may occur twice.' },
  {
    asks: /^(?:source_)?file\w*: [^*]*\*[^/]*$/i,
    says: '"*" is not a wildcard here. List the folder, and make one call for each item.',
    next: (value) => list(value.includes('/') ? value.slice(0, value.lastIndexOf('/')) : 'root'),
  },
  {
    asks: /^(?:source_)?file\w*: [^;,\n]*\.\w{1,5}"?[;,\n][^;,\n]*\.\w/i,
    says: 'A call is about one item: make one call for each.',
  },
]

/** Adds to a refusal what the tool cannot do, and drops corrections that would not do it either. */
export function withWish(error: unknown, tool: string, args: unknown): unknown {
  if (!(error instanceof InvalidInput || error instanceof NotFound) || !isObject(args)) return error
  const given = Object.entries(args).map(([name, value]) => ({ name, text: typeof value === 'string' ? value : JSON.stringify(value) }))
  const [wish] = wishes.flatMap(({ of, asks, says, next, isCorrected }) => {
    const found = of === undefined || of === tool ? given.find(({ name, text }) => asks.test(`${name}: ${text}`)) : undefined
    return found ? [{ says, next: isCorrected ? error.details.next : next?.(found.text) }] : []
  })
  return wish ? withDetails(error, error.text.and(wish.says), wish.next ? { next: wish.next } : {}) : error
}
