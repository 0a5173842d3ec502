import { InvalidInput, NotFound, ToolError, type ErrorDetails } from '@mcp-toolkits/core'
import { findPath, findPaths, type PathMatch, type PathQuery } from '@mcp-toolkits/core/paths'
import { throwCombined } from '@mcp-toolkits/core/matching'
import { placed, type Areas, type PlacedItem } from './drive/areas.ts'
import type { DriveClient } from './drive/client.ts'
import { getItem } from './drive/files.ts'
import { folderBehind, type DriveItem } from './drive/items.ts'
import { pointingToPicker } from './drive/picker.ts'
import { readReference, unknownDrive, type Reference } from './drive/references.ts'
import { hasFormOfTop } from './drive/tops.ts'

/** A path or an id as a caller wrote it, the parameter that holds it, and the shared drive that the path is in. */
export interface Wanted extends PathQuery {
  readonly driveId: string | undefined
}

/** What a reference led to. A path leads to the item; of an id that was given nothing more is known. */
export interface Target {
  readonly id: string
  readonly item?: PlacedItem
  /** Said to the caller where a path was understood otherwise than it was written. */
  readonly notice?: string
}

/** The folder that a target means, a shortcut to one included; and what to call it. Throws `InvalidInput` for what is known to be none. */
export function folderAt({ id, item }: Target, driveId: string | undefined): { readonly id: string; readonly called: string } {
  if (!item) return { id, called: isTop(id, driveId) ? `the top of ${id === 'root' ? 'My Drive' : `the shared drive ${id}`}` : id }
  const folder = folderBehind(item)
  if (folder === undefined) throw new InvalidInput(`"${item.name}" is a ${item.kind}, not a folder.`)
  if (item.trashed === true) throw new InvalidInput(`"${item.name}" is in the trash. Take it out of there, or pass another folder.`)
  return { id: folder, called: `"${item.name}" (${folder})` }
}

/** A target with the item behind an id that was given; undefined where there is nothing more to know. */
export async function lookedUp(target: Target, driveId: string | undefined, { drive, signal }: Lookup): Promise<Target | undefined> {
  if (target.item || isTop(target.id, driveId)) return undefined
  return { ...target, item: placed(await getItem(drive, target.id, signal)) }
}

/** How references are looked up in one call. */
export interface Lookup {
  readonly drive: DriveClient
  readonly areas: Areas
  readonly signal: AbortSignal
}

/**
 * Does something with the item that a reference means. An id is not looked up first: `act` finds out whether it exists, and when it
 * does not, the text may still be a name at the top. `act` must have changed nothing when it throws `NotFound`.
 */
export async function withTarget<Result>(wanted: Wanted, lookup: Lookup, act: (target: Target) => Promise<Result>): Promise<Result> {
  const reference = readReference(wanted.text, wanted.driveId ?? 'root')
  switch (reference.kind) {
    case 'path':
      return act(await atPath(wanted, lookup))
    case 'name': {
      const named = await orMiss(atPath(wanted, lookup))
      return 'target' in named ? act(named.target) : orElse(act({ id: reference.text }), () => Promise.reject(named.miss))
    }
    case 'id':
      lookup.drive.keys.remember(reference.id, reference.resourceKey)
      return orElse(act({ id: reference.id }), async (miss) => {
        const named = reference.orName ? await orMiss(atPath(wanted, lookup)) : undefined
        if (named && 'target' in named) return act(named.target)
        throw unknownId(reference, wanted, { ...miss.details, ...(named && { suggestions: named.miss.details.suggestions ?? [] }) })
      })
  }
}

function unknownId({ id, orName }: Extract<Reference, { kind: 'id' }>, { driveId }: Wanted, details: ErrorDetails): NotFound {
  if (id === driveId) return unknownDrive(driveId, details)
  const area = driveId === undefined ? 'My Drive' : 'the shared drive'
  const text = `No item has the id "${id}", or this access token does not reach it`
  return new NotFound(orName ? `${text}; and nothing at the top of ${area} has that name.` : `${text}.`, details)
}

/** An item that was looked up, or the top of an area, which may not be readable and needs no look-up. */
export type Place = { readonly id: string; readonly notice?: string } & (
  { readonly item: DriveItem } | { readonly item?: never; readonly isTop: true }
)

/** The item that a reference means, looked up by its id where that was given. */
export async function placeOf(wanted: Wanted, lookup: Lookup): Promise<Place> {
  return withTarget(wanted, lookup, async ({ id, item, notice }) => {
    if (isTop(id, wanted.driveId)) return { id, isTop: true }
    return { id, item: item ?? (await getItem(lookup.drive, id, lookup.signal)), ...(notice !== undefined && { notice }) }
  })
}

/** Refuses the top of a drive, which is no item that one could do this to. `done` says what: `renamed`. */
export function refuseTop({ id }: Pick<Target, 'id'>, driveId: string | undefined, done: string): void {
  if (isTop(id, driveId) || hasFormOfTop(id)) throw new InvalidInput(`The top of a drive cannot be ${done}. Pass a file or folder in it.`)
}

/** Whether an id means the top of My Drive or of the shared drive that was named. */
export function isTop(id: string, driveId: string | undefined): boolean {
  return id === 'root' || id === driveId
}

/**
 * The two places that one call is about. Two paths are found with one search; where both are wrong, both are told.
 */
export async function twoPlaces(sought: readonly [PathQuery, PathQuery], lookup: TwoLookup): Promise<readonly [Place, Place]> {
  const found = await bothAtPaths(sought, lookup)
  if (found) return found
  const { driveId } = lookup
  const outcomes = await Promise.allSettled(sought.map((each) => placeOf({ ...each, driveId }, lookup)))
  refuseTogether(outcomes.flatMap((outcome): unknown[] => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  const [first, second] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (!first || !second) throw new TypeError('Two references lead to two places.')
  return [first, second]
}

function refuseTogether(failures: readonly unknown[]): void {
  try {
    for (const failure of failures) if (!(failure instanceof ToolError)) throw failure
    throwCombined(failures.filter((failure) => failure instanceof ToolError))
  } catch (error) {
    toPicker(error)
  }
}

type TwoLookup = Lookup & Pick<Wanted, 'driveId'>

/** The items at two paths with one search, where both are paths; undefined where one may be an id. */
async function bothAtPaths(sought: readonly [PathQuery, PathQuery], { areas, signal, driveId }: TwoLookup) {
  const root = driveId ?? 'root'
  if (sought.some(({ text }) => readReference(text, root).kind !== 'path')) return undefined
  const [first, second] = await findPaths(sought, areas.at(driveId, signal)).catch(toPicker)
  return first && second && ([targetOf(first, sought[0].text), targetOf(second, sought[1].text)] as const)
}

async function atPath({ driveId, ...sought }: Wanted, { areas, signal }: Lookup): Promise<Target> {
  return targetOf(await findPath(sought, areas.at(driveId, signal)).catch(toPicker), sought.text)
}

function targetOf({ item, path, hasScopeName: prefixed }: PathMatch<PlacedItem>, text: string): Target & { readonly item: PlacedItem } {
  return { id: item.id, item, ...(prefixed && { notice: `"${text}" was taken for "${path}": paths begin at the top, without its name.` }) }
}

function toPicker(error: unknown): never {
  throw error instanceof ToolError ? pointingToPicker(error) : error
}

async function orMiss(looking: Promise<Target>): Promise<{ readonly target: Target } | { readonly miss: NotFound }> {
  try {
    return { target: await looking }
  } catch (error) {
    if (error instanceof NotFound) return { miss: error }
    throw error
  }
}

async function orElse<Result>(trying: Promise<Result>, otherwise: (miss: NotFound) => Promise<Result>): Promise<Result> {
  try {
    return await trying
  } catch (error) {
    if (error instanceof NotFound) return otherwise(error)
    throw error
  }
}
