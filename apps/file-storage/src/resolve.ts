import { InvalidInput, NotFound, ToolError, type ErrorDetails } from '@mcp-toolkits/core'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { throwCombined } from '@mcp-toolkits/core/matching'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { findPath, findPaths, type PathMatch, type PathQuery } from '@mcp-toolkits/core/paths'
import { quote } from '@mcp-toolkits/core/text'
import type { DriveClient } from './drive/client.ts'
import { unknownDrive, withFilePickerHint } from './drive/errors.ts'
import { getItem } from './drive/files.ts'
import { targetFolderId, type DriveItem } from './drive/items.ts'
import { toPathItem, type DrivePathItem, type PathScopes } from './drive/paths.ts'

/** A path or an id as the caller wrote it, its parameter, and the shared drive that a path starts in. */
export interface ItemQuery extends PathQuery {
  readonly driveId: string | undefined
}

/** What a text can refer to. */
type Reference =
  | { readonly kind: 'path' }
  /** `orName` if the text can also be the name of an item in the root. */
  | { readonly kind: 'id'; readonly id: string; readonly orName: boolean; readonly resourceKey?: string }
  /** A text in the form of an id that is more likely a name. */
  | { readonly kind: 'name' }

/** People also copy links without their scheme. */
const linkPattern = /^(?:https?:\/\/|(?:drive|docs)\.google\.com\/)/i
/** Ids of files have 28 to 44 such characters, those of shared drives 19. A longer text has no place in a URL. */
const idPattern = /^[\w-]{15,200}$/
/** A shared drive, My Drive and their root folders; the ids of all other items are longer. */
const rootIdPattern = /^0A[\w-]{17}$/
/** Endpoints below `/files/`, where ids stand too: https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
const endpoints = ['generateCseToken', 'generateIds', 'trash']

/** Whether a text can be an id; as part of a URL, any other text could lead elsewhere. */
function isId(text: string): boolean {
  return idPattern.test(text) && !endpoints.includes(text)
}

/**
 * Tells ids from paths. A link to Drive stands for the id in it, `root` for the root. Nearly every id has a digit, so a text in the form
 * of an id without one is looked up as a name first.
 */
function parseReference({ text, driveId }: ItemQuery): Reference {
  const root = driveId ?? 'root'
  if (linkPattern.test(text)) return { kind: 'id', ...parseLink(text), orName: false }
  if (text === 'root' || text === root) return { kind: 'id', id: root, orName: false }
  if (!isId(text)) return { kind: 'path' }
  return /\d/.test(text) ? { kind: 'id', id: text, orName: true } : { kind: 'name' }
}

/** The id in the address of an item: `/file/d/ID/view`, `/drive/folders/ID`, `/document/d/ID/edit`, `/open?id=ID`. */
function parseLink(text: string): { readonly id: string; readonly resourceKey?: string } {
  const url = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`)
  const isDrive = url !== null && /^(?:drive|docs)\.google\.com$/.test(url.hostname)
  const id = url && (/\/(?:d|folders)\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id'))
  if (!isDrive || typeof id !== 'string' || !isId(id)) {
    throw new InvalidInput(`${quote(text, 200)} is no link to an item in Google Drive. Pass a path, an id, or such a link.`)
  }
  const resourceKey = url.searchParams.get('resourcekey')
  return { id, ...(resourceKey !== null && { resourceKey }) }
}

/** The id of a shared drive as the caller wrote it, if any. Throws `InvalidInput` for a text that cannot be one. */
export function parseDriveId(text: string | undefined, parameter = 'shared_drive_id'): string | undefined {
  if (text === undefined || isId(text)) return text
  const listed = sentence`${{ tool: 'FileStorage.WhoAmI' }} lists them.`
  throw new InvalidInput(Message.of(`"${parameter}" must be the id of a shared drive, not ${quote(text, 80)}.`, listed))
}

/** What a reference led to. A path leads to an item; of an id, nothing more is known yet. */
export interface Target {
  readonly id: string
  readonly item?: DrivePathItem
  /** Says that the path was interpreted differently from how it was written. */
  readonly notice?: string
}

export interface LookupContext {
  readonly drive: DriveClient
  readonly paths: PathScopes
  readonly scope: CallScope
}

/**
 * Does something with the item that a reference means. An id is not looked up first: `act` finds out whether it exists; if not, the text
 * may still be a name in the root. `act` must have changed nothing when it throws `NotFound`.
 */
export async function withTarget<Result>(
  query: ItemQuery,
  context: LookupContext,
  act: (target: Target) => Promise<Result>,
): Promise<Result> {
  const reference = parseReference(query)
  if (reference.kind === 'path') return act(await findTarget(query, context))
  if (reference.kind === 'name') {
    const named = await targetOrNotFound(query, context)
    if (!(named instanceof NotFound)) return act(named)
    return act({ id: query.text }).catch((error: unknown) => {
      throw error instanceof NotFound ? named : error
    })
  }
  context.drive.resourceKeys.add(reference.id, reference.resourceKey)
  try {
    return await act({ id: reference.id })
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    const named = reference.orName ? await targetOrNotFound(query, context) : undefined
    if (named && !(named instanceof NotFound)) return act(named)
    throw unknownId(reference, query, { ...error.details, ...(named && { suggestions: named.details.suggestions ?? [] }) })
  }
}

function unknownId({ id, orName }: Extract<Reference, { kind: 'id' }>, { driveId }: ItemQuery, details: ErrorDetails): NotFound {
  if (id === driveId) return unknownDrive(driveId, details)
  const place = driveId === undefined ? 'My Drive' : 'the shared drive'
  const text = `No item has the id ${quote(id)}, or this access token does not reach it`
  return new NotFound(orName ? `${text}; and nothing at the top of ${place} has that name.` : `${text}.`, details)
}

async function findTarget({ driveId, ...query }: ItemQuery, { paths, scope }: LookupContext): Promise<Target> {
  return toTarget(await findPath(query, paths.at(driveId, scope)).catch(throwWithFilePicker), query.text)
}

async function targetOrNotFound(query: ItemQuery, context: LookupContext): Promise<Target | NotFound> {
  return findTarget(query, context).catch((error: unknown) => {
    if (error instanceof NotFound) return error
    throw error
  })
}

function toTarget({ item, path, hasScopeName }: PathMatch<DrivePathItem>, text: string): Target & { readonly item: DrivePathItem } {
  return {
    id: item.id,
    item,
    ...(hasScopeName && {
      notice: `${quote(text, 500)} was interpreted as ${quote(path, 500)}: paths begin at the top, without its name.`,
    }),
  }
}

function throwWithFilePicker(error: unknown): never {
  throw error instanceof ToolError ? withFilePickerHint(error) : error
}

/** The folder that a target stands for, and what to call it. Throws `InvalidInput` for an item that is known not to be one. */
export function requireFolder({ id, item }: Target, driveId: string | undefined): { readonly id: string; readonly label: string } {
  if (!item) return { id, label: isRoot(id, driveId) ? `the top of ${id === 'root' ? 'My Drive' : `the shared drive ${id}`}` : id }
  const folder = targetFolderId(item)
  if (folder === undefined) throw new InvalidInput(`${quote(item.name)} is a ${item.kind}, not a folder.`)
  if (item.trashed === true) throw new InvalidInput(`${quote(item.name)} is in the trash. Take it out of there, or pass another folder.`)
  return { id: folder, label: `${quote(item.name, 300)} (${folder})` }
}

/** A target with the item behind its id; undefined when there is nothing more to learn. */
export async function lookUpTarget(
  target: Target,
  driveId: string | undefined,
  { drive, scope }: LookupContext,
): Promise<Target | undefined> {
  if (target.item || isRoot(target.id, driveId)) return undefined
  return { ...target, item: toPathItem(await getItem(drive, target.id, scope)) }
}

/** An item that was looked up, or a root, which needs no look-up and cannot always be read. */
export type ResolvedItem = { readonly id: string; readonly notice?: string } & (
  { readonly item: DriveItem } | { readonly item?: never; readonly isRoot: true }
)

/** The item that a reference means. */
export async function resolveItem(query: ItemQuery, context: LookupContext): Promise<ResolvedItem> {
  return withTarget(query, context, async ({ id, item, notice }) => {
    if (isRoot(id, query.driveId)) return { id, isRoot: true }
    return { id, item: item ?? (await getItem(context.drive, id, context.scope)), ...(notice !== undefined && { notice }) }
  })
}

/** The two items that one call is about. Two paths take one search; errors in both are reported together. */
export async function resolveTwo(
  queries: readonly [ItemQuery, ItemQuery],
  context: LookupContext,
): Promise<readonly [ResolvedItem, ResolvedItem]> {
  const found = await resolveTwoPaths(queries, context)
  if (found) return found
  const outcomes = await Promise.allSettled(queries.map((query) => resolveItem(query, context)))
  throwTogether(outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  const [first, second] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (!first || !second) throw new TypeError('Two references lead to two items.')
  return [first, second]
}

/** Both items with one search; undefined if one of the references may be an id. */
async function resolveTwoPaths(queries: readonly [ItemQuery, ItemQuery], { paths, scope }: LookupContext) {
  if (queries.some((query) => parseReference(query).kind !== 'path')) return undefined
  const [first, second] = await findPaths(queries, paths.at(queries[0].driveId, scope)).catch(throwWithFilePicker)
  return first && second && ([toTarget(first, queries[0].text), toTarget(second, queries[1].text)] as const)
}

function throwTogether(errors: readonly unknown[]): void {
  for (const error of errors) if (!(error instanceof ToolError)) throw error
  try {
    throwCombined(errors.filter((error) => error instanceof ToolError))
  } catch (error) {
    throwWithFilePicker(error)
  }
}

/** Whether an id means the root of My Drive or of the shared drive that was named. */
export function isRoot(id: string, driveId: string | undefined): boolean {
  return id === 'root' || id === driveId
}

/** Refuses the root of a drive, to which this cannot be done. `action` is a participle: `renamed`. */
export function rejectRoot({ id }: Pick<Target, 'id'>, driveId: string | undefined, action: string): void {
  if (isRoot(id, driveId) || rootIdPattern.test(id))
    throw new InvalidInput(`The top of a drive cannot be ${action}. Pass a file or folder in it.`)
}
