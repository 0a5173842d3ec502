import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, quote, sentence, TooLarge } from '@mcp-toolkits/core/errors'
import { type CallScope, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { type Context, defineTool } from '../context.ts'
import { driveLabel, listSharedDrives, myDrive, type NamedDrive, type SharedDrives } from '../drive/about.ts'
import { maxBatch } from '../drive/batch.ts'
import type { DriveClient } from '../drive/client.ts'
import { corporaFor, listAll, listBatches, type Batch } from '../drive/listings/listings.ts'
import { pathsOfFolders, sharedWithMe } from '../drive/listings/locations.ts'
import { allOf, inFolder, lastChangedFirst, notTrashed } from '../drive/listings/search.ts'
import { TreeBuilder, treeFields, type TreeNode, type Trees } from '../drive/listings/tree.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import {
  domainNotice,
  includeDomain,
  includeSharedDrives,
  incompleteNotice,
  lookupOf,
  orderBy,
  restWithoutCursor,
  sharedDriveText,
  toArray,
} from './parameters.ts'

/** Maximum size, in bytes, of a result's items, which leaves room for everything else. */
const maxBytes = 8 * 1024 * 1024 - 64 * 1024

/** Maximum number of pages to read: fewer pages already contain more items than fit into a result. */
const maxPages = 1_000

const nodes = (meaning: string) => z.array(z.looseObject({ id: z.string(), name: z.string() })).describe(meaning)

const wholeTree = defineTool({
  name: 'GetFileTreeStructure',
  title: 'Get the file tree',
  description: Message.of(
    'Show all files and folders in my Google Drive as a tree: list the whole directory structure (folder hierarchy) and its contents. Slow on large drives: set a limit.',
    sentence`To find one item by name, use ${{ tool: 'FileStorage.SearchFiles' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  narrowing: sentence`To see the rest, use restrict_to_shared_drive_id, or ${{ tool: 'FileStorage.SearchFiles' }} for the contents of a folder.`,
  input: z.strictObject({
    include_shared_drives: includeSharedDrives('restrict_to_shared_drive_id'),
    restrict_to_shared_drive_id: sharedDriveText.optional().describe('Only this shared drive: id or name.'),
    include_organization_domain_documents: includeDomain,
    order_by: orderBy,
    limit: withVocabulary(z.int().min(1), vocabulary.limit).optional().describe('Maximum number of items. Default: all.'),
  }),
  output: z.object({
    drives: z.array(
      z.object({
        name: z.string().nullable().describe('Null if it cannot be read.'),
        id: z.string().nullable(),
        items: nodes('The top level. kind is absent for ordinary files; folders have children unless empty; shortcuts have target_id.'),
      }),
    ),
    unplaced: z.array(
      z
        .object({
          parent_id: z.string().nullable().describe('Comes with path: the path of the folder, or "Shared with me".'),
          reason: z.enum(['parent_not_visible', 'parent_not_listed']).describe('parent_not_listed: the folder may be beyond the limit.'),
          items: nodes('Items as above.'),
        })
        .loose(),
    ),
    item_count: z.int(),
    pagination: restWithoutCursor,
  }),
  example: { limit: 20 },
  async run(args, context, call) {
    const { drive, limitation } = context
    const { scope, notice, progress } = call
    const sharedDrive = await resolveDrive(args.restrict_to_shared_drive_id, lookupOf(context, call), 'restrict_to_shared_drive_id')
    const withDrives = args.include_shared_drives || sharedDrive !== undefined
    const { corpora } = corporaFor({
      drive: sharedDrive && { id: sharedDrive.id, name: driveLabel(sharedDrive) },
      sharedDrives: withDrives,
      domain: args.include_organization_domain_documents,
    })
    const order = [...new Set(toArray(args.order_by))]
    const listing = {
      query: notTrashed,
      corpora,
      fields: treeFields,
      limit: args.limit ?? Infinity,
      maxPages,
      orderBy: order.length > 0 ? order.join(',') : lastChangedFirst,
    }
    const tree = new TreeBuilder(maxBytes)
    const listItems = async () => {
      let last: Omit<Batch, 'items'> = { hasMore: false, isIncomplete: false }
      for await (const { items, ...rest } of listBatches(drive, listing, scope)) {
        for (const item of items) tree.add(item)
        last = rest
        // Progress extends the call's timeout, and empty pages are not progress.
        if (items.length > 0) progress(tree.count, args.limit, 'items listed')
      }
      return { ...last, isCut: last.hasMore && tree.count < listing.limit }
    }
    const [{ hasMore, isIncomplete, isCut, domainProblem }, root, shared] = await Promise.all([
      listItems(),
      sharedDrive === undefined ? findRoot(context, scope) : { id: undefined, children: new Set<string>() },
      withDrives ? listSharedDrives(drive, scope) : undefined,
    ])
    if (tree.fittingCount < tree.count) throw tooLarge(tree)
    const trees = tree.build(root)
    if (shared && 'unavailable' in shared) notice(shared.unavailable)
    if (shared && 'drives' in shared && shared.notice !== undefined) notice(shared.notice)
    if (sharedDrive !== undefined && args.include_shared_drives) {
      notice('include_shared_drives was not applied: restrict_to_shared_drive_id names one drive.')
    }
    if (hasMore && !isCut) notice('There are more: raise limit, or leave it out to list everything.')
    if (isIncomplete || isCut) notice(incompleteNotice)
    if (domainProblem !== undefined) notice(domainNotice(domainProblem))
    if (tree.count === 0) notice('Nothing is visible here.')
    const limited = limitation()
    if (limited) notice(limited)
    const known = [...(sharedDrive ? [sharedDrive] : []), ...(shared && 'drives' in shared ? shared.drives : [])]
    const paths = await placesOf(trees.unplaced, { hasMore, known, rootId: root.id, context, scope })
    return {
      drives: driveRows(trees, { rootId: root.id, sharedDrive, shared }),
      unplaced: trees.unplaced.map(({ parentId, items }, index) => ({
        parent_id: parentId,
        ...(paths[index] !== undefined && { path: paths[index] }),
        reason: hasMore && parentId !== null ? ('parent_not_listed' as const) : ('parent_not_visible' as const),
        items: toPublicNodes(items),
      })),
      item_count: tree.count,
      pagination: { has_more: hasMore, end_cursor: null },
    }
  },
})

export const getFileTreeStructure: typeof wholeTree = {
  ...wholeTree,
  async execute(args, context, call) {
    if (isObject(args)) await refuseFolder(args, () => listSharedDrives(context.drive, call.scope))
    return wholeTree.execute(args, context, call)
  },
}

/** Refuses an argument that names a folder, and proposes the call that lists the folder, or everything for a root. */
async function refuseFolder(args: JsonObject, listDrives: () => Promise<SharedDrives>): Promise<void> {
  const [name, folder] =
    Object.entries(args).find(([key, value]) => folderName.test(key) && typeof value === 'string' && value !== '') ?? []
  if (name === undefined) return
  const drive = String(folder).trim()
  const isRoot = /^(?:root|\/|\.|my ?drive\/?)$/i.test(drive)
  const depths = Object.keys(args).filter((key) => /depth|level|^recursive$/i.test(key))
  const isDeep = depths.some((key) => args[key] === true || Number(args[key]) > 1)
  const isOneLevel = depths.length > 0 && args['recursive'] !== true
  const shared = isRoot || isOneLevel || drive.includes('/') ? { drives: [] } : await listDrives()
  const isDrive = 'drives' in shared && shared.drives.some((each) => each.name === drive)
  const whole = Object.fromEntries([name, ...depths].map((each) => [each, null]))
  throw new InvalidInput(
    Message.of(
      `Unknown argument ${quote(name, 80)}: the tree covers whole drives.`,
      sentence`To list what is directly in a folder, use ${{ tool: 'FileStorage.SearchFiles' }} with query "*".`,
      ...(depths.length > 0 ? ['The tree has all levels.'] : []),
    ),
    {
      // The whole tree contains everything below the folder; a search lists only its children.
      next: isDrive
        ? { change: { ...whole, restrict_to_shared_drive_id: drive } }
        : isDeep || (isRoot && !isOneLevel)
          ? { change: whole }
          : { tool: 'FileStorage.SearchFiles', arguments: { query: '*', folder_path_or_id: isRoot ? 'root' : folder } },
    },
  )
}

const folderName = /^(?:(?:parent|root|start|item)_?)?(?:folder|directory|dir|path|parent)(?:_?(?:path|id|or|name))*$/i

/** My Drive's root. If its id cannot be read, items in the root show no parent, so the root's children are searched for. */
async function findRoot(
  { drive, paths }: { readonly drive: DriveClient; readonly paths: { readonly rootId: (scope: CallScope) => Promise<string | undefined> } },
  scope: CallScope,
) {
  const id = await paths.rootId(scope)
  if (id !== undefined) return { id, children: new Set<string>() }
  const query = allOf(inFolder('root'), notTrashed)
  const { items } = await listAll(
    drive,
    { query, corpora: [{ in: 'folder' }], fields: 'id,name,mimeType', limit: Infinity, maxPages },
    scope,
  )
  return { id, children: new Set(items.map((item) => item.id)) }
}

interface Unlisted {
  readonly hasMore: boolean
  readonly known: readonly NamedDrive[]
  readonly rootId: string | undefined
  readonly context: Context
  readonly scope: CallScope
}

/** Paths of the unplaced items' folders. A folder missing from a complete list is not visible. */
async function placesOf(unplaced: Trees['unplaced'], { hasMore, known, rootId, context, scope }: Unlisted) {
  const folders = unplaced.flatMap(({ parentId, driveId }) => (parentId === null || !hasMore ? [] : [{ id: parentId, driveId }]))
  const names = known.flatMap(({ id, name }) => (name === undefined ? [] : [{ id, path: name }]))
  const paths = await pathsOfFolders(folders.slice(0, maxBatch), { ...context, known: names, scope })
  const top = rootId === undefined ? undefined : sharedWithMe
  return unplaced.map(({ parentId, driveId }) => (parentId !== null ? paths.get(parentId) : driveId === undefined ? top : undefined))
}

interface DriveContext {
  readonly rootId: string | undefined
  readonly sharedDrive: NamedDrive | undefined
  readonly shared: SharedDrives | undefined
}

/** My Drive and the requested shared drives, including empty ones. */
function driveRows({ roots, top }: Trees, { rootId, sharedDrive, shared }: DriveContext) {
  const itemsIn = (id: string) => toPublicNodes(roots.get(id) ?? [])
  const names = new Map(shared && 'drives' in shared ? shared.drives.map(({ id, name }) => [id, name]) : [])
  const ids = [...new Set([...(sharedDrive === undefined ? names.keys() : [sharedDrive.id]), ...roots.keys()])].filter(
    (id) => id !== rootId,
  )
  const own =
    sharedDrive === undefined
      ? [{ name: myDrive.name, id: rootId ?? null, items: rootId === undefined ? toPublicNodes(top) : itemsIn(rootId) }]
      : []
  return [...own, ...ids.map((id) => ({ name: names.get(id) ?? null, id, items: itemsIn(id) }))]
}

function toPublicNodes(items: readonly TreeNode[]): { id: string; name: string }[] {
  return [...items]
}

function tooLarge({ count, fittingCount }: TreeBuilder): TooLarge {
  const text = Message.of(
    `The tree has ${count} files and folders, more than a result can hold.`,
    sentence`The first ${fittingCount} fit; restrict_to_shared_drive_id or ${{ tool: 'FileStorage.SearchFiles' }} returns less.`,
  )
  return new TooLarge(text, { next: { change: { limit: fittingCount } } })
}
