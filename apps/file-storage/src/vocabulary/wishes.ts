import { isObject } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, type NextStep, NotFound, sentence, withDetails } from '@mcp-toolkits/core/errors'

/** Something that no argument of a tool asks for, and what does it instead. */
interface Wish {
  /** Matches an argument that asks for it, as `name: value`, with a value that is not text as JSON. */
  readonly asks: RegExp
  readonly says: Message
  /** The tool that does it, given the value. */
  readonly next?: (value: string) => NextStep
}

const picker = { tool: 'FileStorage.GenerateFilePickerUrl' }
const access = { option: '--toolsets' }

const wishes: Readonly<Record<string, readonly Wish[]>> = {
  ShareFile: [
    {
      asks: /^(?!message|file|shared_drive).*\bowner\b(?!@)|^\w*owner\w*: true/i,
      says: Message.of('Ownership cannot be transferred here: the owner does that in Google Drive. Nothing was shared.'),
    },
    {
      asks: /^(?:role|permission|access\w*|action|operation): "?(?:none|no|no[ _-]?access|remove|revoke|delete|unshare)\b|^(?:remove|revoke|unshare)\w*: (?!false)/i,
      says: Message.of(
        sentence`To take access away, use ${{ tool: 'FileStorage.RevokeFileAccess' }}.`,
        sentence`${{ without: 'FileStorage.RevokeFileAccess' }}With ${access} access, this server can also take access away; otherwise, a person can in Google Drive.`,
      ),
    },
    {
      asks: /^(?!message|file|shared_drive)\w+: .*\b(?:anyone|anybody|everyone|public)\b(?![@.])|^(?:type|scope|visibility|general_access): "?domain|^\w*(?:link|public|anyone)\w*: true/i,
      says: Message.of(
        sentence`To give access to everyone with the link, use ${{ tool: 'FileStorage.SetGeneralAccess' }}.`,
        sentence`${{ without: 'FileStorage.SetGeneralAccess' }}With ${access} access, this server can also give access to everyone with the link; otherwise, a person can in Google Drive.`,
      ),
    },
    { asks: /^\w*expir|^until: /i, says: Message.of('Access has no end here: a person can set one in Google Drive.') },
    {
      asks: /"role":.*"role":/i,
      says: Message.of(
        'A call gives all people one role: pass their addresses as text in email_addresses, and make one call for each role.',
      ),
    },
  ],
  UploadFile: [
    {
      asks: /^(?:file_?)?(?:contents?|text|data|body|base64|bytes)(?:_base64)?: (?!"?https?:)/i,
      says: Message.of(
        'Content cannot be passed here, only the public URL of a file.',
        sentence`To write text into a file, use ${{ tool: 'FileStorage.WriteFile' }}.`,
        sentence`${{ without: 'FileStorage.WriteFile' }}With ${access} content, this server can also write text.`,
        sentence`For a file on the person's computer, use ${picker}.`,
      ),
    },
    {
      asks: /^(?:source|src|from|local|file|\w*url)\w*: "?(?:\/(?!\/)|~|\.{1,2}[\\/]|[a-z]:[\\/]|file:)/i,
      says: Message.of("A path on a computer is no URL: the person uploads such a file on the picker's page."),
      next: () => picker,
    },
    {
      asks: /^\w+: "?https:\/\/(?:drive|docs)\.google\.com\//i,
      says: Message.of(
        sentence`To copy an item of Google Drive, use ${{ tool: 'FileStorage.CopyFile' }}; to move it, ${{ tool: 'FileStorage.MoveFile' }}.`,
        sentence`${{ without: 'FileStorage.CopyFile' }}With ${access} content, this server can also copy an item; ${{ tool: 'FileStorage.MoveFile' }} moves it.`,
      ),
    },
  ],
  SearchFiles: [
    {
      asks: /^(?:next_?)?(?:page(?!\w*(?:size|limit))|cursor|offset|skip)\w*: |^start(?:_?(?:index|at|from))?: /i,
      says: Message.of('There are no pages: raise limit (up to 1000).'),
    },
  ],
  GetFileTreeStructure: [
    {
      asks: /^\w*(?:depth|level)\w*: |^recursive: (?!true)/i,
      says: Message.of('The tree has all levels.', sentence`For one level, use ${{ tool: 'FileStorage.SearchFiles' }}.`),
      next: () => ({ tool: 'FileStorage.SearchFiles', arguments: { query: '*', folder_path_or_id: 'root' } }),
    },
  ],
}

const ofOneItem: readonly Wish[] = [
  {
    asks: /^(?:source_)?file\w*: [^*]*\*[^/]*$/i,
    says: Message.of('"*" is not a wildcard here. List the folder, and make one call for each item.'),
    next: (value) => {
      const folder = value.slice(0, Math.max(value.lastIndexOf('/'), 0))
      return { tool: 'FileStorage.SearchFiles', arguments: { query: '*', folder_path_or_id: folder === '' ? 'root' : folder } }
    },
  },
  {
    asks: /^(?:source_)?file\w*: [^;,\n]*\.\w{1,5}"?[;,\n][^;,\n]*\.\w/i,
    says: Message.of('A call is about one item: make one call for each.'),
  },
]

/** Adds to a refusal what no call of this tool does, in place of corrections that would not do it either. */
export function withWish(error: unknown, tool: string, args: unknown): unknown {
  if (!(error instanceof InvalidInput || error instanceof NotFound) || !isObject(args)) return error
  const given = Object.entries(args).map(([name, value]) => ({ name, text: typeof value === 'string' ? value : JSON.stringify(value) }))
  const all = [...(Object.hasOwn(wishes, tool) ? (wishes[tool] ?? []) : []), ...ofOneItem]
  for (const { asks, says, next } of all) {
    const found = given.find(({ name, text }) => asks.test(`${name}: ${text}`))
    if (found) return withDetails(error, error.text.and(says), next ? { next: next(found.text) } : {})
  }
  return error
}
