import { isArgumentError, joinWords, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { isReference } from '../drive/ids.ts'
import { type DriveItem, FileRow, folderType, itemFields, toRows } from '../drive/items.ts'
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
  type Corpus,
} from '../drive/listings/search.ts'
import { driveLabel } from '../drive/about.ts'
import { type LookupContext, lookUpTarget, requireFolder, resolveItem, type Target, withTarget } from '../resolve/resolve.ts'
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
import { readQuery } from './query.ts'

const maxLimit = 1000
/** Maximum length, in UTF-16 code units, of a query to check; far less fits into a request. */
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
    folder_path_or_id: withVocabulary(folderPathOrId('Search only this folder, not its subfolders'), vocabulary.folder).optional(),
    shared_drive_id: sharedDriveText.optional().describe('Search only this shared drive: id or name.'),
    include_shared_drives: includeSharedDrives('shared_drive_id'),
    include_organization_domain_documents: includeDomain,
    order_by: unusedOrderBy,
    limit: withVocabulary(z.int().min(1).max(maxLimit), vocabulary.limit).default(50).describe('Maximum number of results.'),
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
    checkWords(args.query)
    const { words, conditions, folder: text, reading, filterNotice } = readQuery(args.query, args.folder_path_or_id)
    const ofTypes = hasAnyType(toArray(args.file_types))
    const lookup = lookupOf(context, call)
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const area = corporaFor({
      drive: sharedDrive && { id: sharedDrive.id, name: driveLabel(sharedDrive) },
      sharedDrives: args.include_shared_drives,
      domain: args.include_organization_domain_documents,
    })
    const find = async (corpora: readonly Corpus[], folder?: string) => {
      const list = async (terms?: readonly string[], filters: readonly (string | undefined)[] = [ofTypes, ...conditions]) => {
        const place = folder === undefined ? undefined : inFolder(folder)
        const query = allOf(notTrashed, terms && anyOf(terms.map(containsWords)), place, ...filters)
        const order = query.includes('fullText contains') ? {} : { orderBy: lastChangedFirst }
        return listAll(
          drive,
          { query, corpora, limit, fields: `${itemFields},createdTime,ownedByMe,owners(emailAddress)`, ...order },
          scope,
        )
      }
      if (words === undefined) return list()
      const found = await list([words])
      const forms = isNothing(found) ? otherForms(words) : []
      const other = forms.length === 0 ? found : await list(forms)
      if (other.items.length > 0 && other !== found)
        notice(`Nothing matches the query as written. These match ${joinWords(forms.map(visibleForm), 'or')}.`)
      if (isNothing(other) && ofTypes !== undefined) sayWhatOtherTypesHave((await list([words, ...forms], conditions)).items, notice)
      return other
    }
    const places: KnownFolder[] = sharedDrive?.name === undefined ? [] : [{ id: sharedDrive.id, path: sharedDrive.name }]
    const findIn = async (target: Target): Promise<{ found: Batch; searched: string }> => {
      const folder = requireFolder(target, 'folder_path_or_id')
      if (target.path !== undefined) places.push({ id: folder.id, path: target.path })
      const found = await find([{ in: 'folder' }], folder.id)
      // If an id does not belong to a folder, Drive finds nothing instead of refusing.
      const known = found.items.length === 0 ? await lookUpTarget(target, lookup) : undefined
      if (known && requireFolder(known, 'folder_path_or_id').id !== folder.id) return findIn(known)
      return { found, searched: `directly in ${folder.label}` }
    }
    const { found, searched } =
      text === undefined
        ? { found: await find(area.corpora), searched: area.name }
        : await withTarget({ text, parameter: 'folder_path_or_id', sharedDrive, expects: 'folder' }, lookup, findIn)
    const referred = isNothing(found) && isReference(args.query) ? await referredItem(args.query, lookup) : undefined
    const { hasMore, isIncomplete, domainProblem } = found
    const items = referred ? [referred] : found.items
    const asWords = reading ?? filterNotice(items.length === 0)
    if (asWords !== undefined) notice(asWords)
    const isWide = args.include_shared_drives || args.include_organization_domain_documents
    if (args.order_by !== undefined) notice('order_by was not applied: Google Drive sorts a full-text search by relevance.')
    if (text !== undefined) notice('Only the folder itself was searched, not its subfolders.')
    if (text !== undefined && isWide)
      notice('include_shared_drives and include_organization_domain_documents were not applied: folder_path_or_id says where to search.')
    else if (sharedDrive !== undefined && args.include_shared_drives)
      notice('include_shared_drives was not applied: shared_drive_id says which drive to search.')
    if (hasMore && items.length >= limit)
      notice(limit < maxLimit ? `There are more: raise limit (up to ${maxLimit}).` : 'There are more: search for more words.')
    if (referred)
      notice(`query is only a reference; this is its item. ${referred.mimeType === folderType ? listing(referred.id) : ''}`.trim())
    else if (isNothing(found)) notice(`Nothing matches ${searched === area.name ? `in ${searched}` : searched}. ${emptyAdvice}`)
    if (isIncomplete) notice(incompleteNotice)
    else if (!referred && items.length < few && !hasMore) {
      const leavesOutDrives =
        text === undefined && sharedDrive === undefined && !args.include_shared_drives && drive.sight.hasNoSharedDrives !== true
      for (const advice of adviceForFew(words ?? '', { leavesOutDrives, isEmpty: items.length === 0 })) notice(advice)
      if (isNothing(found) && text === undefined && sharedDrive === undefined && !args.include_organization_domain_documents)
        notice('Documents of the whole organization were not searched: pass include_organization_domain_documents to search them too.')
    }
    if (domainProblem !== undefined) notice(domainNotice(domainProblem))
    const limited = limitation()
    if (limited) notice(limited)
    const located = await pathsOf(items, { ...context, known: places, scope })
    return { files: toRows(items, located), searched, pagination: { has_more: hasMore, end_cursor: null } }
  },
})

const isNothing = ({ items, hasMore, isIncomplete }: Batch) => items.length === 0 && !hasMore && !isIncomplete

function sayWhatOtherTypesHave(items: Batch['items'], notice: (text: string) => void): void {
  const names = items.slice(0, 3).map(({ name }) => quote(name, 80))
  if (names.length > 0) notice(`Without file_types, the query matches ${joinWords([...names, ...(items.length > 3 ? ['others'] : [])])}.`)
}

/** Shows which form of the words was used; the forms look alike but encode accents differently. */
function visibleForm(words: string): string {
  const isDecomposed = words.normalize('NFC') !== words
  return isDecomposed ? `${quote(words.normalize('NFC'))} with decomposed accents` : quote(words)
}

const emptyAdvice = 'All words must occur; names match from the beginning of a word. Try fewer or other words.'

/** The item that a query refers to; undefined if there is none. */
async function referredItem(text: string, lookup: LookupContext): Promise<DriveItem | undefined> {
  return resolveItem({ text, parameter: 'query', sharedDrive: undefined, expects: 'file' }, lookup).then(
    ({ item }) => item,
    (error: unknown) => {
      if (isArgumentError(error)) return undefined
      throw error
    },
  )
}

const listing = (id: string) => `To list what is in it, pass query "*" and folder_path_or_id "${id}".`

/** Number of results below which the wanted ones may be missing. */
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
