import {
  InvalidInput,
  isArgumentError,
  Message,
  NotFound,
  quote,
  sentence,
  throwCombined,
  ToolError,
  withDetails,
} from '@mcp-toolkits/core/errors'
import { findPath, findPaths, isScopeName, PathNotFound, readingsOf, type PathMatch, type PathQuery } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { driveLabel, type NamedDrive } from '../drive/about.ts'
import type { DriveClient } from '../drive/client.ts'
import { unknownDrive } from '../drive/errors.ts'
import { foundElsewhere, trashNotOffered, withNearDrive, withOnlyItem } from './other-places.ts'
import { foldersToCreate, notFolder } from './missing-folder.ts'
import { getItem } from '../drive/files.ts'
import { idAlone, idAtEnd, isDriveId, isId, isLink, linkedId, pathBelowId } from '../drive/ids.ts'
import { targetFolderId, type DriveItem } from '../drive/items.ts'
import { toPathItem, type DrivePathItem, type PathScopes } from '../drive/paths.ts'
import { driveOfPath, forMyDrive, isMyDrive, isTopName, namesIn, notInMyDrive, type OtherDrives } from './shared-drives.ts'

/**
 * A path or id as written by the caller, its parameter, and the shared drive that a path starts in. Some callers append the new name to the
 * folder's path.
 */
export interface ItemQuery extends PathQuery {
  readonly sharedDrive: NamedDrive | undefined
  /** Name of the item to put into the folder that the text refers to. */
  readonly moved?: MovedName
}

/** The name of an item being moved. */
interface MovedName {
  readonly name: string
  /** The parameter for the item's new name, if the call gives no new name. */
  readonly nameParameter?: string
}

/** A reference's meaning. */
type Reference =
  | { readonly kind: 'path' }
  /** `orName` if the text may also be the name of an item in the root. */
  | { readonly kind: 'id'; readonly id: string; readonly orName: boolean; readonly resourceKey?: string }
  /** Text that has the form of an id but is more likely a name. */
  | { readonly kind: 'name' }

/**
 * Distinguishes ids from paths. A Drive link stands for its id, `root` for the root. Nearly every id contains a digit, so text that has the
 * form of an id but no digit is looked up as a name first.
 */
export function parseReference({ text, sharedDrive }: Pick<ItemQuery, 'text' | 'sharedDrive'>): Reference {
  const root = sharedDrive?.id ?? 'root'
  if (isLink(text)) {
    const link = linkedId(text)
    if (!link) throw new InvalidInput(`${quote(text, 200)} is not a link to an item in Google Drive. Pass a path, an id, or such a link.`)
    return { kind: 'id', ...link, orName: false }
  }
  if (text === 'root' || text === root) return { kind: 'id', id: root, orName: false }
  if (!isId(text)) return { kind: 'path' }
  return /\d/.test(text) ? { kind: 'id', id: text, orName: true } : { kind: 'name' }
}

/** The item that a reference led to. A path leads to an item; an id has not been looked up yet. */
export interface Target {
  readonly id: string
  readonly item?: DrivePathItem
  /** The path that led to the item, as accepted by other calls. */
  readonly path?: string
  /** Items with the query's new name, in any folder, found by the path search. */
  readonly alsoFound?: readonly DrivePathItem[] | undefined
  /** The shared drive named in the arguments or before the path. */
  readonly sharedDrive: NamedDrive | undefined
}

export interface LookupContext {
  readonly drive: DriveClient
  readonly paths: PathScopes
  readonly scope: CallScope
  /** True if the call changes something, so that a guess about its meaning is only proposed. */
  readonly isWrite?: boolean
  /** Adds to the result a sentence on how a reference was read. */
  readonly notice: (text: string) => void
}

type Act<Result> = (target: Target) => Promise<Result>
type Attempt<Result> = { readonly result: Result } | { readonly missing: NotFound }

/**
 * Acts on the item that a reference refers to. An id is not looked up first: `act` finds out whether it exists; if not, the text may still
 * be a name in the root. `act` must have changed nothing when it throws `NotFound`. If nothing is found as written, the reference is read
 * in other ways that keep its meaning: `id:` before an id, another name for the root, a shared drive before a path.
 */
export async function withTarget<Result>(query: ItemQuery, context: LookupContext, act: Act<Result>): Promise<Result> {
  const outcome = await attempt(findTargetAndAct(query, context, act))
  if ('result' in outcome) return outcome.result
  const missing = withoutLastName(query, withNewFolder(query, outcome.missing, context))
  throw withOnlyItem(withNewName(query, missing, endOf(outcome.missing)), query, context)
}

const endOf = (missing: NotFound) => (missing instanceof PathNotFound ? missing.end : undefined)

/** Adds advice on creating a path's missing folders, if nothing has a similar name and the path does not end in an item's name. */
function withNewFolder(query: ItemQuery, missing: NotFound, { isWrite }: LookupContext): NotFound | ToolError {
  const { text, expects } = query
  const { suggestions = [], next } = missing.details
  const end = endOf(missing)
  const isFolder = expects === 'folder' && !isMyDrive(text) && appendedTo(query) === undefined && !/\*|\.\w{1,5}\/*$/.test(text)
  if (isWrite !== true || !isFolder || end === undefined || next || suggestions.some(({ confidence }) => confidence > 0.6)) return missing
  return withDetails(missing, missing.text.and(foldersToCreate(query, end)), missing.details)
}

/** The folder of a path that ends in the item's name or in `*`; undefined for any other path. */
function appendedTo({ text, newName, moved }: ItemQuery): string | undefined {
  const [, folder, last = ''] = /^(.*[^/])\/+([^/]+)\/*$/s.exec(text) ?? []
  return last !== '' && [newName, moved?.name, '*', '**'].includes(last) ? folder : undefined
}

/** Proposes the folder itself if its path ends in the item's name or in `*`. */
function withoutLastName(query: ItemQuery, missing: NotFound | ToolError): NotFound | ToolError {
  const { parameter, expects } = query
  const folder = appendedTo(query)
  if (expects !== 'folder' || folder === undefined || missing.details.next?.change) return missing
  const suggestions = [{ value: folder, parameter, confidence: 0.9 }, ...(missing.details.suggestions ?? [])]
  return withDetails(missing, missing.text, { ...missing.details, suggestions, next: { change: { [parameter]: folder } } })
}

/**
 * Suggests the folder and the name if a path ends in a possible new name for the moved file. Proposes them if only that name is missing and
 * the extension stays the same.
 */
function withNewName({ text, parameter, moved }: ItemQuery, error: NotFound | ToolError, end: PathNotFound['end']): NotFound | ToolError {
  const [, before = '', name = '', extension = ''] = /^(?:(.*)\/)?([^/]*(\.\w{1,8}))\/*$/s.exec(text) ?? []
  if (name === '' || moved?.nameParameter === undefined || error.details.next?.change) return error
  const folder = /^\/*$/.test(before) ? 'root' : before
  const isSure = text.includes('/') && end?.name === name && moved.name.toLowerCase().endsWith(extension.toLowerCase())
  return withDetails(
    error,
    error.text.and(`To give the item a new name, pass only its folder as ${parameter} and the name as ${moved.nameParameter}.`),
    {
      ...error.details,
      suggestions: [
        ...(error.details.suggestions ?? []),
        { value: folder, parameter, confidence: 0.6 },
        { value: name, parameter: moved.nameParameter, confidence: 0.6 },
      ],
      ...(isSure && { next: { change: { [parameter]: folder, [moved.nameParameter]: name } } }),
    },
  )
}

async function findTargetAndAct<Result>(query: ItemQuery, context: LookupContext, act: Act<Result>): Promise<Result> {
  const { text, sharedDrive } = query
  const root: Target = { id: sharedDrive?.id ?? 'root', sharedDrive }
  // The text contains no name, so no item can match.
  if (/^\/+$/.test(text)) return actOnReading(query, root, context, act)
  const written = await tryReference(query, context, act)
  if ('result' in written) return written.result
  if (text === 'root' || text === root.id) throw written.missing
  const readings = [text, ...readingsOf(text)]
  const isRoot = (reading: string) => isScopeName(namesIn(reading), context.paths.inDrive(sharedDrive, context.scope))
  if (context.isWrite === true && sharedDrive && isMyDrive(text)) throw notMyDrive(query, written.missing)
  if (context.isWrite === true && isTopName(text)) throw proposing(query, 'root', written.missing)
  if (readings.some((reading) => reading === '' || isRoot(reading))) return actOnReading(query, root, context, act)
  const below = pathBelowId(text)
  const found = below && (await attempt(findPath({ ...query, text: below.names }, context.paths.inFolder(below.folder, context.scope))))
  if (found && 'result' in found)
    return actOnReading(query, { id: found.result.item.id, item: found.result.item, sharedDrive }, context, act)
  const ids = readings.map(
    (reading) => linkedId(reading) ?? { id: idAlone(reading) ?? (context.isWrite === true ? undefined : idAtEnd(reading)) },
  )
  for (const reference of ids) {
    const { id } = reference
    if (id === undefined || id === text) continue
    await context.drive.resourceKeys.add(id, 'resourceKey' in reference ? reference.resourceKey : undefined)
    const read = await attempt(actOnReading(query, { id, sharedDrive }, context, act))
    if ('result' in read) return read.result
  }
  return inNamedDrive(query, context.isWrite === true ? withIdAtEnd(query, written.missing) : written.missing, context, act)
}

/** Proposes the id at the end of a path that does not exist: the item may not be where the caller expects. */
function withIdAtEnd(query: ItemQuery, missing: NotFound): NotFound {
  const id = idAtEnd(query.text)
  return id === undefined ? missing : proposing(query, id, missing)
}

/** Error for My Drive's name in a call about a shared drive. */
function notMyDrive({ parameter }: ItemQuery, { text, details }: NotFound): NotFound {
  return new NotFound(text.and(`${forMyDrive} The root of My Drive is "root" as ${parameter}.`), { ...details, suggestions: [] })
}

function proposing({ parameter }: ItemQuery, value: string, { text, details }: NotFound): NotFound {
  const suggestions = [{ value, parameter, confidence: 0.9 }, ...(details.suggestions ?? [])]
  return new NotFound(text, { ...details, suggestions, next: { change: { [parameter]: value } } })
}

/** Acts on a path if it begins with a shared drive's name; otherwise throws the original error. */
async function inNamedDrive<Result>(query: ItemQuery, missing: NotFound, context: LookupContext, act: Act<Result>): Promise<Result> {
  const { text, parameter, sharedDrive } = query
  const found = await driveOfPath(text, { sharedDrive, parameter }, context)
  const seek = [query, missing, context] as const
  if ('others' in found)
    throw (
      trashNotOffered(text) ??
      (await foundInMyDrive(...seek)) ??
      withNearDrive(query, (await foundElsewhere(...seek)) ?? withOtherDrives(query, missing, found), found)
    )
  const { drive, rest } = found
  if (rest === '') return actOnReading(query, { id: drive.id, sharedDrive: drive }, context, act)
  const target = await attempt(findTarget({ ...query, text: rest, sharedDrive: drive }, { ...context, notice: () => undefined }))
  // A caller who wrote the exact name of the drive and of every item below it needs no notice.
  const isAsWritten =
    text === `${drive.name}/${rest}` && !('missing' in target) && target.result.item.name === namesIn(rest).split('/').at(-1)
  if ('result' in target) return isAsWritten ? act(target.result) : actOnReading(query, target.result, context, act)
  const { text: reason, details } = target.missing
  const close = details.next?.change?.[parameter]
  // The drive stays in the path, so that other paths in the same call keep their meaning.
  const next = typeof close === 'string' ? { next: { change: { [parameter]: `${drive.name}/${close}` } } } : {}
  const suggestions = (details.suggestions ?? []).map(({ value, ...rest }) => ({ ...rest, value: `${drive.name}/${value}` }))
  const missingInDrive = new PathNotFound(reason, { suggestions, ...next }, endOf(target.missing))
  const elsewhere = await foundElsewhere(query, missingInDrive, context)
  throw withNewFolder({ ...query, sharedDrive: drive }, elsewhere ?? missingInDrive, context)
}

/** The error about a path that leads nowhere in the named shared drive but leads to an item in My Drive. */
async function foundInMyDrive(query: ItemQuery, missing: NotFound, context: LookupContext): Promise<NotFound | undefined> {
  if (!query.sharedDrive || parseReference(query).kind === 'id') return undefined
  const found = await attempt(findTarget({ ...query, sharedDrive: undefined }, { ...context, notice: () => undefined }))
  return 'missing' in found ? undefined : new NotFound(missing.text.and(`My Drive has it. ${forMyDrive}`))
}

/** Names the drives that were not searched, except for an id, which leads to its item in any drive. */
function withOtherDrives(query: ItemQuery, missing: NotFound, drives: OtherDrives): NotFound {
  if (parseReference(query).kind === 'id' || query.sharedDrive || drives.others.length === 0) return missing
  return new PathNotFound(missing.text.and(notInMyDrive(drives, query.parameter)), missing.details, endOf(missing))
}

/** Acts on a reference that was read differently, and says so in a notice. */
async function actOnReading<Result>(
  { text, parameter }: ItemQuery,
  target: Target,
  { notice }: LookupContext,
  act: Act<Result>,
): Promise<Result> {
  const result = await act(target)
  const place = driveLabel(target.sharedDrive)
  const meaning = target.item ? `${quote(target.item.name, 300)} in ${place} (${target.id})` : describeId(target, place)
  notice(`${parameter} ${quote(text, 500)} was read as ${meaning}.`)
  return result
}

function describeId({ id, sharedDrive }: Target, place: string): string {
  return isRoot(id, sharedDrive) ? `the root of ${place}` : `the id ${id}`
}

async function attempt<Result>(work: Promise<Result>): Promise<Attempt<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    if (error instanceof NotFound) return { missing: error }
    throw error
  }
}

/** Acts on a reference as written. */
async function tryReference<Result>(query: ItemQuery, context: LookupContext, act: Act<Result>): Promise<Attempt<Result>> {
  const reference = parseReference(query)
  if (reference.kind !== 'id') {
    const named = await attempt(findTarget(query, context))
    if ('result' in named) return { result: await act(named.result) }
    if (reference.kind === 'path') return named
    const byId = await attempt(act({ id: query.text, sharedDrive: query.sharedDrive }))
    return 'result' in byId ? byId : named
  }
  await context.drive.resourceKeys.add(reference.id, reference.resourceKey)
  const byId = await attempt(act({ id: reference.id, sharedDrive: query.sharedDrive }))
  if ('result' in byId) return byId
  const named = reference.orName ? await attempt(findTarget(query, context)) : undefined
  if (named && 'result' in named) return { result: await act(named.result) }
  const { suggestions = [], next } = named?.missing.details ?? {}
  const change = next?.change && { next }
  return { missing: unknownId(reference, query, { ...byId.missing.details, suggestions, ...change }) }
}

function unknownId({ id, orName }: Extract<Reference, { kind: 'id' }>, { sharedDrive }: ItemQuery, details: NotFound['details']): NotFound {
  if (id === sharedDrive?.id) return unknownDrive(id, details)
  const problem = `No item has the id ${quote(id)}, or this app has no access to it`
  const text = Message.of(orName ? `${problem}; nothing in the root of ${driveLabel(sharedDrive)} has that name either.` : `${problem}.`)
  return new NotFound(text.and(sentence`To find the item by name, use ${{ tool: 'FileStorage.SearchFiles' }}.`), details)
}

async function findTarget(
  { sharedDrive, ...query }: ItemQuery,
  { paths, scope, notice }: LookupContext,
): Promise<Target & { readonly item: DrivePathItem }> {
  return toTarget(await findPath(query, paths.inDrive(sharedDrive, scope)), { ...query, sharedDrive }, notice)
}

function toTarget(
  { item, path, isAsWritten, alsoFound }: PathMatch<DrivePathItem>,
  { text, parameter, sharedDrive }: ItemQuery,
  notice: LookupContext['notice'],
): Target & { readonly item: DrivePathItem } {
  if (!isAsWritten) notice(`${parameter} ${quote(text, 500)} was read as ${quote(path, 500)}: nothing has exactly the path that was given.`)
  const inDrive = sharedDrive === undefined ? path : sharedDrive.name && `${sharedDrive.name}/${path}`
  // The search covered one drive, but a shortcut can lead to another.
  const folder = targetFolderId(item) ?? item.id
  const isCovered = item.driveId === sharedDrive?.id && (folder === item.id || alsoFound.some(({ parents }) => parents.includes(folder)))
  return { id: item.id, item, sharedDrive, ...(isCovered && { alsoFound }), ...(inDrive !== undefined && { path: inDrive }) }
}

/** A target's folder, with its name for messages. Throws `InvalidInput` for an item known not to be a folder. */
export function requireFolder({ id, item, path, sharedDrive }: Target, parameter: string): { readonly id: string; readonly label: string } {
  if (!item) return { id, label: isRoot(id, sharedDrive) ? `the root of ${driveLabel(sharedDrive)}` : id }
  const folder = targetFolderId(item)
  if (folder === undefined) throw notFolder(item, { path, parameter })
  if (item.trashed === true) throw new InvalidInput(`${quote(item.name)} is in the trash. Restore it, or pass a different folder.`)
  return { id: folder, label: `${quote(item.name, 300)} (${folder})` }
}

/** Looks up a target's item; undefined if there is nothing to look up. */
export async function lookUpTarget(target: Target, { drive, scope }: LookupContext): Promise<Target | undefined> {
  if (target.item || isRoot(target.id, target.sharedDrive)) return undefined
  return { ...target, item: toPathItem(await getItem(drive, target.id, scope)) }
}

/** An item that was looked up, or a root, which needs no lookup and cannot always be read. */
export type ResolvedItem = Pick<Target, 'id' | 'sharedDrive' | 'alsoFound'> &
  ({ readonly item: DriveItem } | { readonly item?: never; readonly isRoot: true })

/** Finds the item that a reference refers to. */
export async function resolveItem(query: ItemQuery, context: LookupContext): Promise<ResolvedItem> {
  return withTarget(query, context, async ({ id, item, sharedDrive, alsoFound }) => {
    if (isRoot(id, sharedDrive)) return { id, sharedDrive, isRoot: true }
    const found = item ?? (await getItem(context.drive, id, context.scope))
    sayIfTrashed(found, context.notice)
    return { id, sharedDrive, alsoFound, item: found }
  })
}

/** Adds a notice that an item is in the trash: an id may lead there, and the result does not show it. */
export function sayIfTrashed({ name, trashed }: Pick<DriveItem, 'name' | 'trashed'>, notice: LookupContext['notice']): void {
  if (trashed === true) notice(`${quote(name)} is in the trash.`)
}

/** The two items that a call is about. Two paths take one search; errors in both are reported together. */
export async function resolveTwo(
  queries: readonly [ItemQuery, ItemQuery],
  context: LookupContext,
): Promise<readonly [ResolvedItem, ResolvedItem]> {
  const found = await resolveTwoPaths(queries, context)
  if (found) return found
  const outcomes = await Promise.allSettled(queries.map((query) => resolveItem(query, context)))
  const errors = outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const [first, second] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const [error] = errors
  if (first && error instanceof NotFound && (await leadWithoutDriveTo(first.id, queries, context)))
    throw withDetails(error, error.text, { next: { change: { shared_drive_id: null } } })
  throwTogether(errors)
  if (!first || !second) throw new TypeError('Two references lead to two items.')
  return [first, second]
}

/** True if both references can be resolved without the named shared drive, and one of them to the item with the id. */
async function leadWithoutDriveTo(id: string, queries: readonly ItemQuery[], context: LookupContext): Promise<boolean> {
  if (!queries[0]?.sharedDrive) return false
  const all = queries.map((query) => resolveItem({ ...query, sharedDrive: undefined }, { ...context, notice: () => undefined }))
  return (await Promise.all(all).catch(() => [])).some((item) => item.id === id)
}

/** Finds both items with one search; undefined if a reference may be an id or must be read differently. */
async function resolveTwoPaths(queries: readonly [ItemQuery, ItemQuery], { paths, scope, notice }: LookupContext) {
  if (queries.some((query) => !/[^/]/.test(query.text) || parseReference(query).kind !== 'path')) return undefined
  const [first, second] = await findPaths(queries, paths.inDrive(queries[0].sharedDrive, scope)).catch((error: unknown) => {
    if (!isArgumentError(error)) throw error
    return []
  })
  return first && second && ([toTarget(first, queries[0], notice), toTarget(second, queries[1], notice)] as const)
}

function throwTogether(errors: readonly unknown[]): void {
  for (const error of errors) if (!(error instanceof ToolError)) throw error
  throwCombined(errors.filter((error) => error instanceof ToolError))
}

/** True if an id means the root of My Drive or of the named shared drive. */
export function isRoot(id: string, sharedDrive: NamedDrive | undefined): boolean {
  return id === 'root' || id === sharedDrive?.id
}

/** Refuses a drive's root for an action that it does not allow. `action` is a participle: `renamed`. */
export function rejectRoot({ id, sharedDrive }: Pick<Target, 'id' | 'sharedDrive'>, action: string): void {
  if (isRoot(id, sharedDrive) || isDriveId(id))
    throw new InvalidInput(`The root of a drive cannot be ${action}. Pass a file or folder in it.`)
}
