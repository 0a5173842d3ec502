import { TooLarge } from '@mcp-toolkits/core'
import { describe } from '@mcp-toolkits/core/json-schema'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { listSharedDrives, type SharedDrives } from '../drive/about.ts'
import { corpusFor, lastChangedFirst, notTrashed, searchPages } from '../drive/search.ts'
import { parseDriveId } from '../resolve.ts'
import { TreeBuilder, treeFields, type TreeNode, type Trees } from '../drive/tree.ts'
import {
  includeDomain,
  includeSharedDrives,
  incompleteNotice,
  listedByWhoAmI,
  maxIdLength,
  orderBy,
  restWithoutCursor,
  toArray,
  withNotices,
} from './parameters.ts'

/** The size of a result in bytes, with a reserve for everything but the items. */
const maxBytes = 8 * 1024 * 1024 - 64 * 1024

/** More items than a result can hold are on fewer pages. */
const maxPages = 1_000

const nodes = (meaning: string) => z.array(z.looseObject({ id: z.string(), name: z.string() })).describe(meaning)

export const getFileTreeStructure = defineTool({
  name: 'GetFileTreeStructure',
  title: 'Get the file tree',
  description:
    sentence`All files and folders as a tree, with names and ids; every 1,000 items cost a request, so on a large drive set a limit, or use ${{ tool: 'FileStorage.SearchFiles' }}.`.and(
      'An item whose folder is not in the tree (it was not shared with the user, or is beyond the limit) stands under unplaced, not at the top.',
    ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    include_shared_drives: includeSharedDrives,
    restrict_to_shared_drive_id: describe(
      z.string().min(1).max(maxIdLength).optional(),
      Message.of('Only this shared drive.', listedByWhoAmI),
    ),
    include_organization_domain_documents: includeDomain,
    order_by: orderBy('Last changed first when absent.'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe('How many files and folders to list: the first so many in the order. All of them when absent.'),
  }),
  output: z.object({
    drives: z.array(
      z.object({
        name: z.string().nullable().describe('Null where the access token does not allow to read it.'),
        id: z.string().nullable().describe('Of a shared drive, the id to pass as shared_drive_id.'),
        items: nodes(
          'What lies at the top. Each item has id and name; kind where it is not an ordinary file; children where it is a folder; target_id where it is a shortcut.',
        ),
      }),
    ),
    unplaced: z.array(
      z.object({
        parent_id: z.string().nullable(),
        reason: z.enum(['parent_not_visible', 'parent_not_listed']).describe('parent_not_listed: the folder may be beyond the limit.'),
        items: nodes('Items as above.'),
      }),
    ),
    item_count: z.int(),
    pagination: restWithoutCursor,
    notices: z.array(z.string()).optional(),
  }),
  async run(args, { drive, paths }, { scope, progress }) {
    const driveId = parseDriveId(args.restrict_to_shared_drive_id, 'restrict_to_shared_drive_id')
    const withDrives = args.include_shared_drives || driveId !== undefined
    const { corpus } = corpusFor({ driveId, sharedDrives: withDrives, domain: args.include_organization_domain_documents })
    const order = [...new Set(toArray(args.order_by))]
    const search = {
      query: notTrashed,
      corpus,
      fields: treeFields,
      limit: args.limit ?? Infinity,
      maxPages,
      orderBy: order.length > 0 ? order.join(',') : lastChangedFirst,
    }
    const tree = new TreeBuilder(maxBytes)
    const listItems = async () => {
      let last = { hasMore: false, isIncomplete: false }
      for await (const { files, nextPageToken, incompleteSearch } of searchPages(drive, search, scope)) {
        for (const item of files) tree.add(item)
        last = { hasMore: nextPageToken !== undefined, isIncomplete: last.isIncomplete || incompleteSearch }
        // Progress lets the call take longer, and empty pages are none.
        if (files.length > 0) progress(tree.count, args.limit, 'items listed')
      }
      return { ...last, isCut: last.hasMore && tree.count < search.limit }
    }
    const [{ hasMore, isIncomplete, isCut }, rootId, shared] = await Promise.all([
      listItems(),
      driveId === undefined ? paths.rootId(scope) : undefined,
      withDrives ? listSharedDrives(drive, scope) : undefined,
    ])
    if (tree.fittingCount < tree.count) throw tooLarge(tree)
    const trees = tree.build(rootId)
    return {
      drives: driveRows(trees, { rootId, driveId, shared, isPartial: args.include_organization_domain_documents }),
      unplaced: trees.unplaced.map(({ parentId, items }) => ({
        parent_id: parentId,
        reason: hasMore && parentId !== null ? ('parent_not_listed' as const) : ('parent_not_visible' as const),
        items: toPublicNodes(items),
      })),
      item_count: tree.count,
      pagination: { has_more: hasMore, end_cursor: null },
      ...withNotices(
        shared && 'unavailable' in shared && shared.unavailable,
        driveId === undefined &&
          rootId === undefined &&
          'The top of My Drive cannot be read with this access token, so items at the top cannot be distinguished from others without a visible folder.',
        shared && 'drives' in shared && shared.notice,
        hasMore && !isCut && 'There are more: raise limit, or leave it out to list everything.',
        (isIncomplete || isCut) && incompleteNotice,
      ),
    }
  },
})

interface DriveContext {
  readonly rootId: string | undefined
  readonly driveId: string | undefined
  readonly shared: SharedDrives | undefined
  /** Whether only a part of the items was listed, so that a drive without any may not be empty. */
  readonly isPartial: boolean
}

/** My Drive and the shared drives that were requested, empty ones included. */
function driveRows({ roots }: Trees, { rootId, driveId, shared, isPartial }: DriveContext) {
  const itemsIn = (id: string) => toPublicNodes(roots.get(id) ?? [])
  const names = new Map(shared && 'drives' in shared ? shared.drives.map(({ id, name }) => [id, name]) : [])
  const ids = driveId === undefined ? [...new Set([...names.keys(), ...roots.keys()])].filter((id) => id !== rootId) : [driveId]
  const myDrive = driveId === undefined ? [{ name: 'My Drive', id: rootId ?? null, items: itemsIn(rootId ?? '') }] : []
  const all = [...myDrive, ...ids.map((id) => ({ name: names.get(id) ?? null, id, items: itemsIn(id) }))]
  return isPartial ? all.filter(({ items }) => items.length > 0) : all
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
