import { joinWords, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { FileRow, itemFields, toRows } from '../drive/items.ts'
import { corporaFor, listAll, type Batch } from '../drive/listings/listings.ts'
import { type KnownFolder, pathsOf } from '../drive/listings/locations.ts'
import {
  allOf,
  anyOf,
  checkWords,
  containsWords,
  hasAnyType,
  inFolder,
  lastChangedFirst,
  notTrashed,
  otherForms,
  readQuerySyntax,
  type Corpus,
} from '../drive/listings/search.ts'
import { driveLabel } from '../drive/about.ts'
import { lookUpTarget, requireFolder, type Target, withTarget } from '../resolve/resolve.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import {
  domainNotice,
  folderPathOrId,
  incompleteNotice,
  includeDomain,
  includeSharedDrives,
  lookupOf,
  restWithoutCursor,
  sharedDriveText,
  toArray,
  typesOf,
  unusedOrderBy,
  wellFormed,
} from './parameters.ts'

const maxLimit = 1000
/** Maximum length of a query that is checked, in UTF-16 units; a request fits far less. */
const maxQueryLength = 1_000_000

export const searchFiles = defineTool({
  name: 'SearchFiles',
  title: 'Search files',
  description: Message.of(
    'Search Google Drive: find or look up a file, document, spreadsheet, PDF or folder by name, or locate files and documents by words in their content, best match first. Covers My Drive and what is shared with you, not the trash.',
    sentence`To browse, use ${{ tool: 'FileStorage.GetFileTreeStructure' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  narrowing: 'To see others, search for more words, or narrow by folder_path_or_id, shared_drive_id or file_types.',
  input: z.strictObject({
    query: withVocabulary(
      wellFormed
        .max(maxQueryLength)
        .regex(/[^\s"]/, 'must contain a word')
        .describe('Words to search for, without operators; double quotes make a phrase.'),
      vocabulary.query,
    ),
    folder_path_or_id: withVocabulary(folderPathOrId('Search only directly in this folder'), vocabulary.folder).optional(),
    shared_drive_id: sharedDriveText.optional().describe('Search only this shared drive: id or name.'),
    include_shared_drives: includeSharedDrives,
    include_organization_domain_documents: includeDomain,
    order_by: unusedOrderBy,
    limit: withVocabulary(z.int().min(1).max(maxLimit), vocabulary.limit).default(50).describe('Most results to return.'),
    file_types: typesOf('Only these types: one or a list.'),
  }),
  output: z.object({
    files: z.array(FileRow),
    searched: z.string(),
    pagination: restWithoutCursor,
  }),
  example: { query: 'agreement', folder_path_or_id: 'Team' },
  async run(args, context, call) {
    const { drive, limitation } = context
    const { scope, notice } = call
    const { limit } = args
    const { words, types, folder: text, reading } = readQuery(args.query, toArray(args.file_types), args.folder_path_or_id)
    if (words !== undefined) checkWords(words)
    const lookup = lookupOf(context, call)
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const area = corporaFor({
      drive: sharedDrive && { id: sharedDrive.id, name: driveLabel(sharedDrive) },
      sharedDrives: args.include_shared_drives,
      domain: args.include_organization_domain_documents,
    })
    const find = async (corpora: readonly Corpus[], folder?: string) => {
      const list = async (terms?: readonly string[]) => {
        const place = folder === undefined ? undefined : inFolder(folder)
        const query = allOf(notTrashed, terms && anyOf(terms.map(containsWords)), place, hasAnyType(types))
        const order = terms ? {} : { orderBy: lastChangedFirst }
        return listAll(
          drive,
          { query, corpora, limit, fields: `${itemFields},createdTime,ownedByMe,owners(emailAddress)`, ...order },
          scope,
        )
      }
      if (words === undefined) return list()
      const found = await list([words])
      const forms = found.items.length > 0 || found.hasMore || found.isIncomplete ? [] : otherForms(words)
      const other = forms.length === 0 ? found : await list(forms)
      if (other.items.length > 0 && other !== found)
        notice(`Nothing matches the query as written. These match ${joinWords(forms.map(visibleForm), 'or')}.`)
      return other
    }
    const places: KnownFolder[] = sharedDrive?.name === undefined ? [] : [{ id: sharedDrive.id, path: sharedDrive.name }]
    const findIn = async (target: Target): Promise<{ found: Batch; searched: string }> => {
      const folder = requireFolder(target)
      if (target.path !== undefined) places.push({ id: folder.id, path: target.path })
      const found = await find([{ in: 'folder' }], folder.id)
      // For an id that is not a folder, Drive finds nothing instead of refusing.
      const known = found.items.length === 0 ? await lookUpTarget(target, lookup) : undefined
      if (known && requireFolder(known).id !== folder.id) return findIn(known)
      return { found, searched: `directly in ${folder.label}` }
    }
    const { found, searched } =
      text === undefined
        ? { found: await find(area.corpora), searched: area.name }
        : await withTarget({ text, parameter: 'folder_path_or_id', sharedDrive, expects: 'folder' }, lookup, findIn)
    const { items, hasMore, isIncomplete, domainProblem } = found
    if (reading !== undefined) notice(reading)
    else if (operators.test(args.query) || filters.test(args.query) || (items.length === 0 && conditions.test(args.query)))
      notice(plainWordsNotice)
    const isWide = args.include_shared_drives || args.include_organization_domain_documents
    if (args.order_by !== undefined) notice('order_by was not applied: Google Drive sorts a full-text search by relevance.')
    if (text !== undefined) notice('Only the folder itself was searched, not its subfolders.')
    if (text !== undefined && isWide)
      notice('include_shared_drives and include_organization_domain_documents were not applied: folder_path_or_id says where to search.')
    else if (sharedDrive !== undefined && args.include_shared_drives)
      notice('include_shared_drives was not applied: shared_drive_id says which drive to search.')
    if (hasMore && items.length >= limit)
      notice(limit < maxLimit ? `There are more: raise limit (up to ${maxLimit}).` : 'There are more: search for more words.')
    if (items.length === 0 && !hasMore && !isIncomplete)
      notice(`Nothing matches ${searched === area.name ? `in ${searched}` : searched}. ${emptyAdvice}`)
    if (isIncomplete) notice(incompleteNotice)
    else if (items.length < few && !hasMore) {
      const leavesOutDrives =
        text === undefined && sharedDrive === undefined && !args.include_shared_drives && drive.sight.hasNoSharedDrives !== true
      for (const advice of adviceForFew(args.query, { leavesOutDrives, isEmpty: items.length === 0 })) notice(advice)
    }
    if (domainProblem !== undefined) notice(domainNotice(domainProblem))
    const limited = limitation()
    if (limited) notice(limited)
    const located = await pathsOf(items, { ...context, known: places, scope })
    return { files: toRows(items, located), searched, pagination: { has_more: hasMore, end_cursor: null } }
  },
})

/** A visible form of the words; forms that look alike differ in how accents are encoded. */
function visibleForm(words: string): string {
  const isDecomposed = words.normalize('NFC') !== words
  return isDecomposed ? `${quote(words.normalize('NFC'))} with decomposed accents` : quote(words)
}

/** `-draft` and `NOT draft`, as in other search languages. */
const operators = /(?:^|\s)-\p{L}|\b(?:NOT|AND|OR)\b/u
/** `type:pdf`, `owner:me`, `before:2026-01-01`. */
const filters =
  /(?:^|[\s(-])(?:(?:file|mime)?_?type|ext(?:ension)?|owner|creator|from|to|in|is|has|title|name|folder|parent|drive|size|date|before|after|since|modified|created|updated|shared(?:with)?|starred|trashed)[:=<>]\S/i
/** Words about a file that are not in it, as people put them. */
const conditions =
  /\b(?:not|without|except|excluding)\s|\b(?:today|yesterday|(?:last|this|past) (?:day|week|month|year))\b|\b(?:modified|changed|created|updated|owned|shared) (?:by|before|after|since|on|in|with)\b|\b(?:before|after|since) \d/i
const plainWordsNotice =
  'query was read as plain words: operators ("-", NOT, AND, OR, type:, owner:) have no meaning, and no word excludes a file or filters by its date, owner or state. For a type pass file_types, for a folder folder_path_or_id, for a shared drive shared_drive_id.'

const emptyAdvice = 'All words must occur; names match from the beginning of a word. Try fewer or other words.'

/** So few results may not be the ones wanted. */
const few = 10

/** Advice on finding more, if there are few results. */
function adviceForFew(query: string, { leavesOutDrives, isEmpty }: { readonly leavesOutDrives: boolean; readonly isEmpty: boolean }) {
  const plural = /(?<![\p{L}\p{N}])\p{L}{3,}(?<!s)s(?![\p{L}\p{N}])/u.exec(query)?.[0] ?? ''
  const [shorter, longer] = [plural.slice(0, -1), plural].map((word) => JSON.stringify(word))
  return [
    ...(leavesOutDrives ? ['Shared drives were not searched: pass include_shared_drives to search them too.'] : []),
    ...(plural !== '' && !isEmpty ? [`Names match from the beginning of a word: ${shorter} can find more than ${longer}.`] : []),
  ]
}

/** The words, types and folder to search for, and the reading of a query that is not just words. */
function readQuery(query: string, types: readonly string[], folder: string | undefined) {
  const syntax = readQuerySyntax(query)
  if (!syntax) return { words: query, types, folder }
  const isTwice =
    syntax !== 'unreadable' && ((types.length > 0 && syntax.types.length > 0) || (folder ?? syntax.folder) !== (syntax.folder ?? folder))
  if (syntax === 'unreadable' || isTwice) {
    return {
      words: query,
      types,
      folder,
      reading:
        "The query looks like Google Drive's own syntax, but was searched for as plain words. Pass only words; use file_types and folder_path_or_id for the rest.",
    }
  }
  const meaning = [
    syntax.words === undefined ? 'any words' : `the words ${JSON.stringify(syntax.words)}`,
    ...(syntax.types.length > 0 ? [`file_types ${syntax.types.join(', ')}`] : []),
    ...(syntax.folder === undefined ? [] : [`folder_path_or_id ${syntax.folder}`]),
  ]
  return {
    words: syntax.words,
    types: syntax.types.length > 0 ? syntax.types : types,
    folder: folder ?? syntax.folder,
    reading: `The query is in Google Drive's own syntax; it was read as ${joinWords(meaning)}, in names and contents.`,
  }
}
